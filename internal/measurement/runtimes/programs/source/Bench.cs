extern alias Extensions;

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Ticks = Extensions::System.Environment;

/// <summary>
/// The benchmark of .NET's calls, for .NET Core 3.1 and later. timebench runs Bench.dll, which mcs of Mono 6.8 makes
/// from this file, as dotnet exec Bench.dll MODE ARGS... It prints lines of fields with tabs between them.
///
/// cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
/// steps MOST MOST_NS NAME...        the differences between consecutive values
/// mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
/// threads COUNT SPAN_NS NAME...     calls of several threads in one span of time
/// version                           the version of the runtime
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

    /// <summary>Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow.</summary>
    private static double First(string name) {
        Func<int, long> call = calls[name];
        long begin = Now();
        for (long n = 100;; n += 100) {
            sink += call(100);
            long elapsed = Now() - begin;
            if (elapsed > 0) {
                return (double) elapsed / n;
            }
        }
    }

    /// <summary>Returns the calls that take a span.</summary>
    private static int Calibrated(string name, long span) {
        for (int n = 1;; n *= 2) {
            long elapsed = Timed(name, n);
            if (elapsed >= span / 2) { // twice again: another program may have had the CPU
                elapsed = Math.Min(elapsed, Math.Min(Timed(name, n), Timed(name, n)));
            }
            if (elapsed >= span / 2 || n > int.MaxValue / 2) {
                return (int) Math.Min(int.MaxValue, Math.Max(1, (double) n * span / Math.Max(1, elapsed)));
            }
        }
    }

    /// <summary>
    /// Warms up all names in turn, in small runs. The runtime first compiles a method quickly. It optimizes one that was
    /// called 30 times, but in the background, and only after it has met no new method for 100 ms. On a busy machine
    /// 300 ms were not always enough.
    /// </summary>
    private static void WarmUp(List<string> names, long span, Action<string> run) {
        long end = Now() + Math.Max(1000000000, names.Count * Math.Max(span, 100000000));
        for (int turns = 0; turns < 320 || Now() < end; turns++) {
            foreach (string name in names) {
                run(name);
            }
        }
    }

    private static void WarmUpCalls(List<string> names, long span) {
        WarmUp(names, span, name => sink += calls[name](64));
    }

    private static void Cost(List<string> names, long rounds, long span) {
        foreach (string name in names) {
            Print("warm", name, First(name).ToString("F9", CultureInfo.InvariantCulture));
        }
        WarmUpCalls(names, span);
        int[] counts = new int[names.Count];
        for (int k = 0; k < counts.Length; k++) {
            counts[k] = Calibrated(names[k], span);
        }
        for (long r = 0; r < rounds; r++) {
            for (int i = 0; i < counts.Length; i++) {
                int k = (int) ((r + i) % counts.Length);
                Print("cost", names[k], counts[k], Timed(names[k], counts[k]));
            }
        }
        Print("sink", sink);
    }

    private static void Steps(List<string> names, long most, long mostNS) {
        names = names.FindAll(reads.ContainsKey);
        long[] values = new long[Block];
        WarmUp(names, 0, name => reads[name](values));
        foreach (string name in names) {
            Action<long[]> read = reads[name];
            List<long> found = new List<long>();
            long seen = 0;
            long repeats = 0;
            for (long begin = Now(); found.Count < most && Now() - begin < mostNS;) {
                read(values);
                for (int i = 1; i < Block; i++) {
                    long step = values[i] - values[i - 1];
                    seen++;
                    if (step == 0) {
                        repeats++;
                    } else if (found.Count < most) {
                        found.Add(step);
                    }
                }
            }
            foreach (long step in found) {
                Print("step", name, step);
            }
            Print("seen", name, seen, repeats);
        }
    }

    /// <summary>Makes one system call. File.Exists makes two for a file that does not exist.</summary>
    private static void Mark(string name) {
        char[] path = name.ToCharArray();
        for (int i = 0; i < path.Length; i++) {
            char c = path[i];
            if (!(c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')) {
                path[i] = '_';
            }
        }
        new FileInfo("/timebench-mark/" + new string(path)).Refresh();
    }

    private static void Marked(List<string> names, long times) {
        Mark("start");
        foreach (string name in names) {
            sink += calls[name](1);
        }
        foreach (string name in names) {
            Func<int, long> call = calls[name];
            for (long t = 0; t < times; t++) {
                Mark(name);
                sink += call(1);
            }
        }
        Mark("end");
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

    private static void Threads(List<string> names, int count, long span) {
        WarmUpCalls(names, 0);
        foreach (string name in names) {
            int chunk = Calibrated(name, 50000); // the stopwatch is read every 50 us
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
                Print("thread", name, i, workers[i].made);
                last = Math.Max(last, workers[i].passed);
            }
            Print("passed", name, last);
        }
    }

    /// <summary>What was printed. It is written at the end, because a reader that wakes up disturbs the next slice.</summary>
    private static readonly StringBuilder output = new StringBuilder();

    private static void Print(params object[] fields) {
        output.Append(string.Join("\t", fields)).Append("\n");
    }

    private static int Usage() {
        Console.Error.Write("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME... | threads COUNT SPAN_NS NAME... | version\n");
        return 2;
    }

    public static int Main(string[] args) {
        string mode = args.Length == 0 ? "" : args[0];
        if (mode == "version" && args.Length == 1) {
            Console.Write(RuntimeInformation.FrameworkDescription + "\n");
            return 0;
        }
        int many;
        switch (mode) {
            case "mark": many = 1; break;
            case "cost": case "steps": case "threads": many = 2; break;
            default: return Usage();
        }
        if (args.Length <= 1 + many) {
            return Usage();
        }
        long[] numbers = new long[2];
        for (int i = 0; i < many; i++) {
            if (!long.TryParse(args[1 + i], NumberStyles.None, CultureInfo.InvariantCulture, out numbers[i]) || numbers[i] == 0) {
                return Usage();
            }
        }
        List<string> names = new List<string>();
        for (int i = 1 + many; i < args.Length; i++) {
            if (calls.ContainsKey(args[i])) {
                names.Add(args[i]);
            } else {
                Print("missing", args[i], "no such call");
            }
        }
        if (names.Count > 0) {
            switch (mode) {
                case "cost": Cost(names, numbers[0], numbers[1]); break;
                case "steps": Steps(names, numbers[0], numbers[1]); break;
                case "mark": Marked(names, numbers[0]); break;
                default: Threads(names, (int) Math.Min(numbers[0], int.MaxValue), numbers[1]); break;
            }
        }
        Print("done");
        Console.Write(output);
        return 0;
    }
}
