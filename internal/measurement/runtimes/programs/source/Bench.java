import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The benchmark of Java's calls, for Java 8 and later. timebench runs Bench.class, which
 * javac --release 8 -g:none -encoding UTF-8 of JDK 17 makes from this file, as java -cp DIR Bench MODE
 * ARGS... It prints lines of fields with tabs between them.
 *
 * cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
 * steps MOST MOST_NS NAME...        the differences between consecutive values
 * mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
 * threads COUNT SPAN_NS NAME...     calls of several threads in one span of time
 *
 * It has no lambda and no nested class, so that it is one class file.
 */
public final class Bench implements Runnable {
    /** The reads of a block of steps. */
    private static final int BLOCK = 1000;

    /** Null in a Java without the module java.management. */
    private static ThreadMXBean bean;
    private static volatile long sink;

    // Each call is written out in a loop of its own. The sum is used, so the compiler removes no call.

    /** A chain that the compiler can neither shorten nor vectorize: it removes an empty loop. */
    private static long loop(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum = (sum ^ i) + 1;
        }
        return sum;
    }

    /** The compiler inlines it, as in any program. */
    private static long one(long x) {
        return x + 1;
    }

    private static long call(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum = one(sum ^ i);
        }
        return sum;
    }

    private static long currentTimeMillis(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += System.currentTimeMillis();
        }
        return sum;
    }

    private static long nanoTime(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += System.nanoTime();
        }
        return sum;
    }

    private static long instant(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += Instant.now().getNano();
        }
        return sum;
    }

    private static long localDateTime(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += LocalDateTime.now().getNano();
        }
        return sum;
    }

    private static long cpuTime(int n) {
        ThreadMXBean bean = Bench.bean;
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += bean.getCurrentThreadCpuTime();
        }
        return sum;
    }

    /** Makes n calls. */
    private static long run(String name, int n) {
        switch (name) {
            case "loop": return loop(n);
            case "call": return call(n);
            case "System.currentTimeMillis": return currentTimeMillis(n);
            case "System.nanoTime": return nanoTime(n);
            case "Instant.now": return instant(n);
            case "LocalDateTime.now": return localDateTime(n);
            case "ThreadMXBean.getCurrentThreadCpuTime": return cpuTime(n);
            default: throw new IllegalArgumentException("no such call");
        }
    }

    // A block of values, each call in a loop of its own. It keeps the values as they are, so that the
    // reads follow each other as fast as the call allows, and converts them to nanoseconds afterwards.

    private static void readCurrentTimeMillis(long[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = System.currentTimeMillis();
        }
        for (int i = 0; i < values.length; i++) {
            values[i] *= 1_000_000;
        }
    }

    private static void readNanoTime(long[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = System.nanoTime();
        }
    }

    private static void readInstant(Instant[] raw, long[] values) {
        for (int i = 0; i < raw.length; i++) {
            raw[i] = Instant.now();
        }
        for (int i = 0; i < raw.length; i++) {
            values[i] = nanos(raw[i]);
        }
    }

    private static void readLocalDateTime(LocalDateTime[] raw, long[] values) {
        for (int i = 0; i < raw.length; i++) {
            raw[i] = LocalDateTime.now();
        }
        for (int i = 0; i < raw.length; i++) {
            values[i] = nanos(raw[i].toInstant(ZoneOffset.UTC));
        }
    }

    private static void readCPUTime(long[] values) {
        ThreadMXBean bean = Bench.bean;
        for (int i = 0; i < values.length; i++) {
            values[i] = bean.getCurrentThreadCpuTime();
        }
    }

    private static final Instant[] INSTANTS = new Instant[BLOCK];
    private static final LocalDateTime[] DATES = new LocalDateTime[BLOCK];

    /** Reads a block of values in nanoseconds. */
    private static void read(String name, long[] values) {
        switch (name) {
            case "System.currentTimeMillis": readCurrentTimeMillis(values); break;
            case "System.nanoTime": readNanoTime(values); break;
            case "Instant.now": readInstant(INSTANTS, values); break;
            case "LocalDateTime.now": readLocalDateTime(DATES, values); break;
            default: readCPUTime(values); break;
        }
    }

    private static long nanos(Instant at) {
        return at.getEpochSecond() * 1_000_000_000 + at.getNano();
    }

    private static long timed(String name, int n) {
        long begin = System.nanoTime();
        sink += run(name, n);
        return System.nanoTime() - begin;
    }

    /** Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow. */
    private static double first(String name) {
        long begin = System.nanoTime();
        for (long n = 100;; n += 100) {
            sink += run(name, 100);
            long elapsed = System.nanoTime() - begin;
            if (elapsed > 0) {
                return (double) elapsed / n;
            }
        }
    }

    /** Returns the calls that take a span. */
    private static int calibrated(String name, long span) {
        for (int n = 1;; n *= 2) {
            long elapsed = timed(name, n);
            if (elapsed >= span / 2) { // twice again: another program may have had the CPU
                elapsed = Math.min(elapsed, Math.min(timed(name, n), timed(name, n)));
            }
            if (elapsed >= span / 2 || n > Integer.MAX_VALUE / 2) {
                return (int) Math.min(Integer.MAX_VALUE, Math.max(1, (double) n * span / Math.max(1, elapsed)));
            }
        }
    }

    /** In small runs, so that the compiler compiles the whole method, and not only its loop. */
    private static void warmUp(String name, long span) {
        long end = System.nanoTime() + Math.max(span, 100_000_000);
        for (long calls = 0; calls < 20_000 || System.nanoTime() - end < 0; calls += 64) {
            sink += run(name, 64);
        }
    }

    private static void cost(List<String> names, long rounds, long span) {
        for (String name : names) {
            print("warm", name, String.format(Locale.ROOT, "%.9f", first(name)));
        }
        int[] counts = new int[names.size()];
        for (int k = 0; k < counts.length; k++) {
            warmUp(names.get(k), span);
            counts[k] = calibrated(names.get(k), span);
        }
        for (long r = 0; r < rounds; r++) {
            for (int i = 0; i < counts.length; i++) {
                int k = (int) ((r + i) % counts.length);
                print("cost", names.get(k), counts[k], timed(names.get(k), counts[k]));
            }
        }
        print("sink", sink);
    }

    private static void steps(List<String> names, long most, long mostNS) {
        long[] values = new long[BLOCK];
        for (String name : names) {
            if (name.equals("loop") || name.equals("call")) {
                continue;
            }
            long end = System.nanoTime() + 50_000_000; // until the method is compiled
            for (int blocks = 0; blocks < 20 || System.nanoTime() - end < 0; blocks++) {
                read(name, values);
            }
            List<Long> found = new ArrayList<>();
            long reads = 0;
            long repeats = 0;
            for (long begin = System.nanoTime(); found.size() < most && System.nanoTime() - begin < mostNS;) {
                read(name, values);
                for (int i = 1; i < BLOCK; i++) {
                    long step = values[i] - values[i - 1];
                    reads++;
                    if (step == 0) {
                        repeats++;
                    } else if (found.size() < most) {
                        found.add(step);
                    }
                }
            }
            for (long step : found) {
                print("step", name, step);
            }
            print("seen", name, reads, repeats);
        }
    }

    private static void mark(String name) {
        if (new File("/timebench-mark/" + name.replaceAll("[^A-Za-z0-9._-]", "_")).exists()) {
            sink++;
        }
    }

    private static void marked(List<String> names, long times) {
        mark("start");
        for (String name : names) {
            sink += run(name, 1);
        }
        for (String name : names) {
            for (long t = 0; t < times; t++) {
                mark(name);
                sink += run(name, 1);
            }
        }
        mark("end");
    }

    // The barrier: how many threads wait, and the release with the begin of the common span. Each thread
    // polls it: threads that sleep wake one after the other, and the last ones late.
    private static final AtomicInteger waiting = new AtomicInteger();
    private static volatile boolean released;
    private static long release;

    // One thread. Its counts are local variables, so no thread writes what another one needs.
    private final String name;
    private final int chunk;
    private final long span;
    private long calls;
    private long passed;

    private Bench(String name, int chunk, long span) {
        this.name = name;
        this.chunk = chunk;
        this.span = span;
    }

    @Override
    public void run() {
        waiting.incrementAndGet();
        while (!released) {
            Thread.yield();
        }
        long begin = release;
        long made = 0;
        long sum = 0;
        long now = System.nanoTime() - begin;
        while (now < span) {
            sum += run(name, chunk);
            made += chunk;
            now = System.nanoTime() - begin;
        }
        calls = made;
        passed = now;
        sink = sum;
    }

    private static void threads(List<String> names, int count, long span) throws InterruptedException {
        for (String name : names) {
            warmUp(name, 0);
            int chunk = calibrated(name, 50_000); // the stopwatch is read every 50 us
            waiting.set(0);
            released = false;
            Bench[] workers = new Bench[count];
            Thread[] threads = new Thread[count];
            for (int i = 0; i < count; i++) {
                workers[i] = new Bench(name, chunk, span);
                threads[i] = new Thread(workers[i]);
                threads[i].setDaemon(true); // if one cannot start, the others do not hold the program
                threads[i].start();
            }
            while (waiting.get() < count) {
                Thread.yield();
            }
            release = System.nanoTime();
            released = true;
            long last = 0;
            for (int i = 0; i < count; i++) {
                threads[i].join();
                print("thread", name, i, workers[i].calls);
                last = Math.max(last, workers[i].passed);
            }
            print("passed", name, last);
        }
    }

    /** Returns why the call cannot be measured, or null. It makes no call. */
    private static String lacking(String name) {
        switch (name) {
            case "loop": case "call": case "System.currentTimeMillis": case "System.nanoTime": case "Instant.now": case "LocalDateTime.now":
                return null;
            case "ThreadMXBean.getCurrentThreadCpuTime":
                try {
                    bean = ManagementFactory.getThreadMXBean();
                    return bean.isCurrentThreadCpuTimeSupported() ? null : "not supported by this Java";
                } catch (LinkageError e) {
                    return e.toString();
                }
            default:
                return "no such call";
        }
    }

    /** What was printed. It is written at the end, because a reader that wakes up disturbs the next slice. */
    private static final StringBuilder OUT = new StringBuilder();

    private static void print(Object... fields) {
        for (int i = 0; i < fields.length; i++) {
            OUT.append(i == 0 ? "" : "\t").append(fields[i]);
        }
        OUT.append('\n');
    }

    private static void usage() {
        System.err.println("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME... | threads COUNT SPAN_NS NAME...");
        System.exit(2);
    }

    public static void main(String[] args) throws Exception {
        String mode = args.length == 0 ? "" : args[0];
        int many = 0;
        switch (mode) {
            case "mark": many = 1; break;
            case "cost": case "steps": case "threads": many = 2; break;
            default: usage();
        }
        if (args.length <= 1 + many) {
            usage();
        }
        long[] numbers = new long[2];
        for (int i = 0; i < many; i++) {
            if (!args[1 + i].matches("[1-9][0-9]{0,17}")) {
                usage();
            }
            numbers[i] = Long.parseLong(args[1 + i]);
        }
        List<String> names = new ArrayList<>();
        for (String name : Arrays.copyOfRange(args, 1 + many, args.length)) {
            String reason = lacking(name);
            if (reason != null) {
                print("missing", name, reason);
            } else {
                names.add(name);
            }
        }
        switch (mode) {
            case "cost": if (!names.isEmpty()) { cost(names, numbers[0], numbers[1]); } break;
            case "steps": steps(names, numbers[0], numbers[1]); break;
            case "mark": if (!names.isEmpty()) { marked(names, numbers[0]); } break;
            case "threads": threads(names, (int) Math.min(numbers[0], Integer.MAX_VALUE), numbers[1]); break;
            default: break;
        }
        print("done");
        System.out.print(OUT);
    }
}
