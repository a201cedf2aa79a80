import java.util.concurrent.locks.LockSupport;

/** Sleeps 300 times for a span in ns by a way, and prints how late each sleep ended. */
class Own {
    public static void main(String[] arguments) throws Exception {
        long span = Long.parseLong(arguments[1]);
        for (int i = 0; i < 300; i++) {
            long begin = System.nanoTime();
            if (arguments[0].equals("LockSupport.parkNanos")) {
                LockSupport.parkNanos(span);
            } else {
                Thread.sleep(span / 1000000, (int) (span % 1000000));
            }
            System.out.println(System.nanoTime() - begin - span);
        }
    }
}
