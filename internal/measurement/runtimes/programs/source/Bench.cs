extern alias Extensions;

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Ticks = Extensions::System.Environment;

/// <summary>
/// The benchmark of .NET's calls, for .NET Core 3.1 and later. timebench runs Bench.dll, which mcs of Mono 6.8 makes
/// from this file, as dotnet exec Bench.dll. With an argument it prints the version of the runtime. The protocol is in
/// ../programs.go.
///
/// Numbers have no digit separators: mcs reads 1_000 as 10000.
/// </summary>
public sealed class Bench {
    /// <summary>The reads of a block of steps.</summary>
    private const int Block = 1000;

    private static long sink;

    // Each call is written out in a loop of its own. The sum is used, so the compiler removes no call.

    /// <summary>A chain that the compiler can neither shorten nor vectorize.</summary>
    private static long Loop(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum = (sum ^ i) + 1;
        }
        return sum;
    }

    /// <summary>The compiler inlines it, as in any program.</summary>
    private static long One(long x) {
        return x + 1;
    }

    private static long Call(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum = One(sum ^ i);
        }
        return sum;
    }

    private static long UtcNow(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += DateTime.UtcNow.Ticks;
        }
        return sum;
    }

    private static long LocalNow(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += DateTime.Now.Ticks;
        }
        return sum;
    }

    private static long OffsetUtcNow(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += DateTimeOffset.UtcNow.Ticks;
        }
        return sum;
    }

    private static long GetTimestamp(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += Stopwatch.GetTimestamp();
        }
        return sum;
    }

    private static long TickCount64(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += Ticks.TickCount64;
        }
        return sum;
    }

    /// <summary>Each makes n calls.</summary>
    private static readonly Dictionary<string, Func<int, long>> calls = new Dictionary<string, Func<int, long>> {
        {"loop", Loop},
        {"call", Call},
        {"DateTime.UtcNow", UtcNow},
        {"DateTime.Now", LocalNow},
        {"DateTimeOffset.UtcNow", OffsetUtcNow},
        {"Stopwatch.GetTimestamp", GetTimestamp},
        {"Environment.TickCount64", TickCount64},
    };

    // A block of values, each call in a loop of its own. It keeps the values as they are, so that the
    // reads follow each other as fast as the call allows, and converts them to nanoseconds afterwards.

    private static readonly DateTime[] dates = new DateTime[Block];
    private static readonly DateTimeOffset[] offsets = new DateTimeOffset[Block];
    private static readonly long epoch = new DateTime(1970, 1, 1).Ticks;

    private static void ReadUtcNow(long[] values) {
        for (int i = 0; i < dates.Length; i++) {
            dates[i] = DateTime.UtcNow;
        }
        ConvertDates(values);
    }

    private static void ReadLocalNow(long[] values) {
        for (int i = 0; i < dates.Length; i++) {
            dates[i] = DateTime.Now;
        }
        ConvertDates(values);
    }

    private static void ConvertDates(long[] values) {
        for (int i = 0; i < dates.Length; i++) {
            values[i] = (dates[i].Ticks - epoch) * 100;
        }
    }

    private static void ReadOffsetUtcNow(long[] values) {
        for (int i = 0; i < offsets.Length; i++) {
            offsets[i] = DateTimeOffset.UtcNow;
        }
        for (int i = 0; i < offsets.Length; i++) {
            values[i] = (offsets[i].Ticks - epoch) * 100;
        }
    }

    private static void ReadGetTimestamp(long[] values) {
        for (int i = 0; i < values.Length; i++) {
            values[i] = Stopwatch.GetTimestamp();
        }
        for (int i = 0; i < values.Length; i++) {
            values[i] = Nanoseconds(values[i]);
        }
    }

    private static void ReadTickCount64(long[] values) {
        for (int i = 0; i < values.Length; i++) {
            values[i] = Ticks.TickCount64;
        }
        for (int i = 0; i < values.Length; i++) {
            values[i] *= 1000000;
        }
    }

    /// <summary>Each reads a block of values in nanoseconds.</summary>
    private static readonly Dictionary<string, Action<long[]>> reads = new Dictionary<string, Action<long[]>> {
        {"DateTime.UtcNow", ReadUtcNow},
        {"DateTime.Now", ReadLocalNow},
        {"DateTimeOffset.UtcNow", ReadOffsetUtcNow},
        {"Stopwatch.GetTimestamp", ReadGetTimestamp},
        {"Environment.TickCount64", ReadTickCount64},
    };

    private static long Nanoseconds(long timestamp) {
        long frequency = Stopwatch.Frequency;
        return timestamp / frequency * 1000000000 + timestamp % frequency * 1000000000 / frequency;
    }

    private static long Now() {
        return Nanoseconds(Stopwatch.GetTimestamp());
    }

    private static long Timed(string name, int n) {
        Func<int, long> call = calls[name];
        long begin = Now();
        sink += call(n);
        return Now() - begin;
    }

    private static readonly StringBuilder answer = new StringBuilder();

    private static void Answer(long number) {
        answer.Append(number).Append(' ');
    }

    private static void Slices(string name, int n, int slices) {
        for (int i = 0; i < slices; i++) {
            Answer(Timed(name, n));
        }
    }

    private static readonly long[] values = new long[Block];

    private static void Steps(string name, int blocks, int most) {
        Action<long[]> read = reads[name];
        long repeats = 0;
        for (int k = 0; k < blocks; k++) {
            read(values);
            for (int i = 1; i < Block; i++) {
                long step = values[i] - values[i - 1];
                if (step == 0) {
                    repeats++;
                } else if (most-- > 0) {
                    Answer(step);
                }
            }
        }
        Answer(repeats);
    }

    private static void Sleep(string name, int count, int span) {
        int milliseconds = (span + 999999) / 1000000;
        for (int i = 0; i < count; i++) {
            long begin = Now();
            if (name == "Task.Delay") {
                Task.Delay(milliseconds).Wait();
            } else {
                Thread.Sleep(milliseconds);
            }
            Answer(Now() - begin - span);
        }
    }

    /// <summary>Makes one system call. File.Exists makes two for a file that does not exist.</summary>
    private static void Stat(string path) {
        new FileInfo(path).Refresh();
    }

    private static void Mark(string name, int times, int number) {
        Func<int, long> call = calls[name];
        string path = "/timebench-mark/" + number;
        for (int i = 0; i < times; i++) {
            Stat(path);
            sink += call(1);
        }
        Stat("/timebench-mark/end");
    }

    // The barrier: how many threads wait, and the release with the begin of the common span. Each thread
    // polls it: threads that sleep wake one after the other, and the last ones late.
    private static int waiting;
    private static volatile bool released;
    private static long release;

    // One thread. Its counts are local variables, so no thread writes what another one needs.
    private readonly Func<int, long> call;
    private readonly int chunk;
    private readonly long span;
    private long made;
    private long passed;

    private Bench(Func<int, long> call, int chunk, long span) {
        this.call = call;
        this.chunk = chunk;
        this.span = span;
    }

    private void Run() {
        Interlocked.Increment(ref waiting);
        while (!released) {
            Thread.Yield();
        }
        long begin = release;
        long made = 0;
        long sum = 0;
        long now = Now() - begin;
        while (now < span) {
            sum += call(chunk);
            made += chunk;
            now = Now() - begin;
        }
        this.made = made;
        passed = now;
        sink = sum;
    }

    private static void Threads(string name, int chunk, int count, long span) {
        waiting = 0;
        released = false;
        Bench[] workers = new Bench[count];
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            workers[i] = new Bench(calls[name], chunk, span);
            threads[i] = new Thread(workers[i].Run);
            threads[i].IsBackground = true; // if one cannot start, the others do not hold the program
            threads[i].Start();
        }
        while (Volatile.Read(ref waiting) < count) {
            Thread.Yield();
        }
        release = Now();
        released = true;
        long last = 0;
        for (int i = 0; i < count; i++) {
            threads[i].Join();
            Answer(workers[i].made);
            last = Math.Max(last, workers[i].passed);
        }
        Answer(last);
    }

    private static void Obey(string[] fields) {
        string name = fields[1];
        int n = int.Parse(fields[2]);
        int many = int.Parse(fields[3]);
        if (fields[0] == "sleep") {
            Sleep(name, n, many);
        } else if (!calls.ContainsKey(name)) {
            answer.Append("missing no such call");
        } else if (fields[0] == "run") {
            Slices(name, n, many);
        } else if (fields[0] == "steps" && !reads.ContainsKey(name)) {
            answer.Append("missing its value is not a time");
        } else if (fields[0] == "steps") {
            Steps(name, n, many);
        } else if (fields[0] == "mark") {
            Mark(name, n, many);
        } else {
            Threads(name, n, many, long.Parse(fields[4]));
        }
    }

    public static void Main(string[] args) {
        if (args.Length > 0) {
            Console.Write(RuntimeInformation.FrameworkDescription + "\n");
            return;
        }
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine()) {
            answer.Clear();
            Obey(line.Split('\t'));
            Console.Write(answer.Append("\n"));
        }
    }
}
