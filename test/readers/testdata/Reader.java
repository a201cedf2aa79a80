import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/**
 * A program that reads a clock at a known, counted rate between arithmetic. Its arguments and its
 * output are those of reader.c, without syscall. The read is System.nanoTime. Without -read-ns a
 * read costs what the whole call costs.
 */
final class Reader {
	static final long SEED = 88172645463325252L;
	static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
	static final com.sun.management.OperatingSystemMXBean SYSTEM =
		(com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
	static boolean reading;
	static double given;
	static volatile boolean stop;
	static volatile long sink;

	static long readTheClock(long n) {
		long x = 0;
		for (; n > 0; n--)
			x ^= System.nanoTime();
		return x;
	}

	static long arithmetic(long x, long n) {
		for (; n > 0; n--) {
			x ^= x << 13;
			x ^= x >>> 7;
			x ^= x << 17;
		}
		return x;
	}

	/** So many iterations for each read, in 1/65536, and the mean reads of a block. */
	record Mix(long ratio, long reads) {}

	record Costs(double read, double call, double iteration) {}

	static final class Work {
		long x = SEED, owed, reads, iterations, read;

		/** The length varies, so that blocks are never in step with a timer. */
		void block(Mix mix) {
			x = arithmetic(x, 1);
			long n = mix.reads / 2 + 1 + (x >>> 32) % mix.reads, m = n * 100;
			if (reading) {
				read ^= readTheClock(n);
				reads += n;
				owed += n * mix.ratio;
				m = owed >>> 16;
				owed &= 0xffff;
			}
			x = arithmetic(x, m);
			iterations += m;
		}
	}

	/** Reading the CPU time takes as long as many reads, so that it is read only around all blocks of a turn. */
	static double perRead(Mix mix) {
		Work w = null;
		long spent = 0;
		for (int blocks = 8; spent < 250_000; blocks *= 2) {
			w = new Work();
			long start = THREADS.getCurrentThreadCpuTime();
			for (int i = 0; i < blocks; i++)
				w.block(mix);
			spent = THREADS.getCurrentThreadCpuTime() - start;
		}
		sink += w.x + w.read;
		return (double) spent / w.reads;
	}

	static double perIteration() {
		long start = THREADS.getCurrentThreadCpuTime();
		sink += arithmetic(SEED, 100_000);
		return (THREADS.getCurrentThreadCpuTime() - start) / 100_000.0;
	}

	/** What a turn costs that little disturbs. */
	static double quiet(double[] figures) {
		Arrays.sort(figures);
		return figures[figures.length / 10];
	}

	static Costs calibrate(Mix mix, int turns) {
		double[] iterations = new double[turns], wholes = new double[turns];
		for (int i = 0; i < turns; i++) {
			iterations[i] = perIteration();
			if (reading)
				wholes[i] = perRead(mix);
		}
		double iteration = quiet(iterations);
		if (!reading)
			return new Costs(0, 0, iteration);
		double whole = quiet(wholes) - mix.ratio / 65536.0 * iteration;
		double read = given > 0 ? given : whole;
		return new Costs(read, whole - read, iteration);
	}

	/** A block takes 2 ms at most. */
	static Mix choose(Costs c, double share) {
		double ratio = (c.read / share - c.read - c.call) / c.iteration;
		return new Mix((long) (Math.max(ratio, 0) * 65536), (long) Math.min(Math.max(2e6 * share / c.read, 1), 50));
	}

	public static void main(String[] args) throws IOException, InterruptedException {
		if (args.length < 4) {
			System.err.println("usage: Reader vdso|none PERCENT THREADS SECONDS [-read-ns NS] [-wait]");
			System.exit(2);
		}
		double percent = Double.parseDouble(args[1]), seconds = Double.parseDouble(args[3]);
		boolean wait = false;
		for (int i = 4; i < args.length; i++) {
			if (args[i].equals("-wait"))
				wait = true;
			else
				given = Double.parseDouble(args[++i]);
		}
		reading = percent > 0;

		Mix mix = new Mix(0, 50), mixed = mix;
		// The first calls are interpreted. The compiler must have seen every branch.
		calibrate(new Mix(50 << 16, 50), 150);
		Costs costs = calibrate(mix, 50);
		if (reading) {
			double share = percent / 100;
			// Where arithmetic takes most of the time, the difference is lost in noise.
			mixed = choose(costs, Math.max(share, 0.25));
			costs = calibrate(mixed, 80);
			if (percent < 100)
				mix = choose(costs, share);
		}

		System.out.println("ready");
		System.out.flush();
		if (wait) {
			int c;
			while ((c = System.in.read()) != '\n')
				if (c < 0)
					System.exit(1);
		}

		Work[] works = new Work[Integer.parseInt(args[2])];
		for (int i = 0; i < works.length; i++) {
			works[i] = new Work();
			works[i].x += i;
		}
		long wall = System.nanoTime(), cpu = SYSTEM.getProcessCpuTime();
		if (seconds > 0) {
			Thread[] running = new Thread[works.length];
			final Mix chosen = mix;
			for (int i = 0; i < running.length; i++) {
				final Work w = works[i];
				running[i] = new Thread(() -> {
					do
						w.block(chosen);
					while (!stop);
				});
				running[i].start();
			}
			Thread.sleep((long) (seconds * 1000));
			stop = true;
			for (Thread t : running)
				t.join();
		}
		cpu = SYSTEM.getProcessCpuTime() - cpu;
		wall = System.nanoTime() - wall;
		Costs after = calibrate(mixed, 80);
		costs = new Costs((costs.read + after.read) / 2, (costs.call + after.call) / 2, (costs.iteration + after.iteration) / 2);

		long reads = 0, iterations = 0;
		for (Work w : works) {
			reads += w.reads;
			iterations += w.iterations;
			sink += w.x + w.read;
		}
		double in = reads * costs.read, rest = iterations * costs.iteration + reads * costs.call;
		boolean any = reads > 0;
		System.out.printf(Locale.ROOT,
			"{\"reads\":%d,\"iterations\":%d,\"cpu_ns\":%d,\"wall_ns\":%d,\"read_ns\":%.3f,\"call_ns\":%.3f,\"iteration_ns\":%.4f"
			+ ",\"share\":%.5f,\"share_by_reads\":%.5f}%n",
			reads, iterations, cpu, wall, costs.read, costs.call, costs.iteration,
			any ? in / (in + rest) : 0, any ? in / cpu : 0);
	}
}
