import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The benchmark of Java's calls, for Java 8 and later. timebench runs Bench.class, which
 * javac --release 8 -g:none -encoding UTF-8 of JDK 17 makes from this file, as java -cp DIR Bench. The protocol is in
 * ../programs.go.
 *
 * It has no nested class, so that it is one class file.
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

    private static long userTime(int n) {
        ThreadMXBean bean = Bench.bean;
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += bean.getCurrentThreadUserTime();
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
            case "ThreadMXBean.getCurrentThreadUserTime": return userTime(n);
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

    private static void readUserTime(long[] values) {
        ThreadMXBean bean = Bench.bean;
        for (int i = 0; i < values.length; i++) {
            values[i] = bean.getCurrentThreadUserTime();
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
            case "ThreadMXBean.getCurrentThreadUserTime": readUserTime(values); break;
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

    private static final StringBuilder ANSWER = new StringBuilder();

    private static void answer(long number) {
        ANSWER.append(number).append(' ');
    }

    private static void slices(String name, int n, int slices) {
        for (int i = 0; i < slices; i++) {
            answer(timed(name, n));
        }
    }

    private static final long[] VALUES = new long[BLOCK];

    private static void steps(String name, int blocks, int most) {
        long repeats = 0;
        for (int k = 0; k < blocks; k++) {
            read(name, VALUES);
            for (int i = 1; i < BLOCK; i++) {
                long step = VALUES[i] - VALUES[i - 1];
                if (step == 0) {
                    repeats++;
                } else if (most-- > 0) {
                    answer(step);
                }
            }
        }
        answer(repeats);
    }

    private static final ScheduledExecutorService EXECUTOR = Executors.newScheduledThreadPool(1);

    private static void sleeps(String name, int count, int span) throws InterruptedException, ExecutionException {
        for (int i = 0; i < count; i++) {
            long ended = 0;
            long begin = System.nanoTime();
            if (name.equals("Thread.sleep(ms)")) {
                Thread.sleep((span + 999999) / 1000000);
            } else if (name.equals("Thread.sleep(ms, ns)")) {
                Thread.sleep(span / 1000000, span % 1000000);
            } else if (name.equals("LockSupport.parkNanos")) {
                LockSupport.parkNanos(span);
            } else {
                ended = EXECUTOR.schedule((Callable<Long>) System::nanoTime, span, TimeUnit.NANOSECONDS).get();
            }
            answer((ended == 0 ? System.nanoTime() : ended) - begin - span);
        }
    }

    private static void stat(String path) {
        if (new File(path).exists()) {
            sink++;
        }
    }

    private static void mark(String name, int times, int number) {
        String path = "/timebench-mark/" + number;
        for (int i = 0; i < times; i++) {
            stat(path);
            sink += run(name, 1);
        }
        stat("/timebench-mark/end");
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

    private static void threads(String name, int chunk, int count, long span) throws InterruptedException {
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
            answer(workers[i].calls);
            last = Math.max(last, workers[i].passed);
        }
        answer(last);
    }

    /** Returns why the call cannot be measured, or null. It makes no call. */
    private static String lacking(String name) {
        switch (name) {
            case "loop": case "call": case "System.currentTimeMillis": case "System.nanoTime": case "Instant.now": case "LocalDateTime.now":
                return null;
            case "ThreadMXBean.getCurrentThreadCpuTime": case "ThreadMXBean.getCurrentThreadUserTime":
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

    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] fields = line.split("\t");
            String name = fields[1];
            String reason = fields[0].equals("sleep") ? null : lacking(name);
            int n = Integer.parseInt(fields[2]);
            int many = Integer.parseInt(fields[3]);
            ANSWER.setLength(0);
            if (reason != null) {
                ANSWER.append("missing ").append(reason);
            } else if (fields[0].equals("run")) {
                slices(name, n, many);
            } else if (fields[0].equals("steps")) {
                if (name.equals("loop") || name.equals("call")) {
                    ANSWER.append("missing its value is not a time");
                } else {
                    steps(name, n, many);
                }
            } else if (fields[0].equals("mark")) {
                mark(name, n, many);
            } else if (fields[0].equals("sleep")) {
                sleeps(name, n, many);
            } else {
                threads(name, n, many, Long.parseLong(fields[4]));
            }
            System.out.println(ANSWER);
        }
        EXECUTOR.shutdown();
    }
}
