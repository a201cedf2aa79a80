import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Instant;

class Reads {
    static long sink;

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        call(2, "warm", () -> Instant.now().getNano() + threads.getCurrentThreadCpuTime() + System.nanoTime());
        call(n, "System.currentTimeMillis", System::currentTimeMillis);
        call(n, "System.nanoTime", System::nanoTime);
        call(n, "Instant.now", () -> Instant.now().getNano());
        call(n, "ThreadMXBean.getCurrentThreadCpuTime", threads::getCurrentThreadCpuTime);
        new File("/timebench-mark/end").exists();
    }

    static void call(int n, String name, java.util.function.LongSupplier call) {
        File mark = new File("/timebench-mark/" + name);
        for (int i = 0; i < n; i++) {
            mark.exists();
            sink += call.getAsLong();
        }
    }
}
