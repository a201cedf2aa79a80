/* A program that reads a clock at a known, counted rate between arithmetic.

   reader vdso|syscall|gettimeofday|time|none PERCENT THREADS SECONDS [-read-ns NS] [-wait]

   vdso is clock_gettime(CLOCK_MONOTONIC) of libc; syscall is the system call itself, and gettimeofday
   and time are the system calls of these names, where the architecture has them. The
   reads take PERCENT of the CPU time of each thread. The program calibrates first. Then it
   prints "ready", with -wait it waits for a line on standard input, runs for SECONDS and
   prints a JSON object with its counts. 0 seconds prints the calibration only.

   The costs are measured before the run and after it. A read by the vDSO costs what its
   function takes when a loop does nothing but call it: the CPU runs the loop and the call while
   it waits for the counter, so that they add next to nothing to it. loop_ns is what they take
   with an empty function: an emulator that counts instructions adds that. The other costs are those
   in the mix of reads and arithmetic: a system call costs the difference from an empty
   function, and the call around a read is what remains, with the changes from one to the
   other. -read-ns replaces the cost of a read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

typedef int reader(clockid_t, struct timespec *);

/* raw makes a system call itself, and not by syscall() of libc: after a system call the
   CPU may predict the return from each function wrongly, and samples there are of no read. On
   CPUs other than amd64 it is that of libc, which then counts as part of the read. */
static inline int raw(long number, long first, void *second)
{
#if defined __x86_64__
	__asm__ volatile("syscall" : "+a"(number) : "D"(first), "S"(second) : "rcx", "r11", "memory");
	return (int)number;
#else
	return (int)syscall(number, first, second);
#endif
}

static NOINLINE int system_call(clockid_t id, struct timespec *ts)
{
	return raw(SYS_clock_gettime, id, ts);
}

#ifdef SYS_gettimeofday
static NOINLINE int system_call_gettimeofday(clockid_t id, struct timespec *ts)
{
	(void)id;
	return raw(SYS_gettimeofday, (long)ts, NULL);
}
#endif

#ifdef SYS_time
static NOINLINE int system_call_time(clockid_t id, struct timespec *ts)
{
	(void)id, (void)ts;
	return raw(SYS_time, 0, NULL);
}
#endif

static const struct { const char *name; reader *read; } calls[] = {
	{"syscall", system_call},
#ifdef SYS_gettimeofday
	{"gettimeofday", system_call_gettimeofday},
#endif
#ifdef SYS_time
	{"time", system_call_time},
#endif
};

static NOINLINE int nothing(clockid_t id, struct timespec *ts)
{
	__asm__ volatile("" : : "r"(id), "r"(ts) : "memory");
	return 0;
}

/* bare_vdso returns the function of the vDSO itself, which libc calls. */
static reader *bare_vdso(void)
{
	void *image = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *symbol = image ? dlsym(image, "__vdso_clock_gettime") : NULL;
	if (image && !symbol)
		symbol = dlsym(image, "__kernel_clock_gettime");
	return (reader *)symbol;
}

NOINLINE void read_the_clock(reader *read, uint64_t n)
{
	struct timespec ts;
	for (; n > 0; n--) {
		read(CLOCK_MONOTONIC, &ts);
		__asm__ volatile("" : : "m"(ts));
	}
}

static NOINLINE uint64_t arithmetic(uint64_t x, uint64_t n)
{
	for (; n > 0; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/* A mix is so many iterations for each read, in 1/65536, and the mean reads of a block. */
struct mix { uint64_t ratio, reads; };
static const struct mix reads_only = {0, 50};
struct work { uint64_t x, owed, reads, iterations; };

/* The length of blocks varies, so that they are never in step with a timer. */
static void block(struct work *w, reader *read, struct mix mix)
{
	uint64_t n, m;
	w->x = arithmetic(w->x, 1);
	n = mix.reads / 2 + 1 + (w->x >> 32) % mix.reads;
	if (read) {
		read_the_clock(read, n);
		w->reads += n;
		w->owed += n * mix.ratio;
		m = w->owed >> 16;
		w->owed &= 0xffff;
	} else {
		m = n * 100;
	}
	w->x = arithmetic(w->x, m);
	w->iterations += m;
}

static double now(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static uint64_t sink;

/* per_read returns the CPU time of a read and the iterations that go with it. Reading the CPU
   time takes as long as many reads, so that it is read only around all blocks of a turn. */
static double per_read(reader *read, struct mix mix)
{
	struct work w;
	double spent = 0;
	for (int blocks = 8; spent < 2.5e5; blocks *= 2) {
		w = (struct work){.x = 88172645463325252};
		double start = now(CLOCK_THREAD_CPUTIME_ID);
		for (int i = 0; i < blocks; i++)
			block(&w, read, mix);
		spent = now(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	sink += w.x;
	return spent / w.reads;
}

static double per_iteration(void)
{
	double start = now(CLOCK_THREAD_CPUTIME_ID);
	sink += arithmetic(88172645463325252, 100000);
	return (now(CLOCK_THREAD_CPUTIME_ID) - start) / 100000;
}

struct costs { double read, call, iteration, loop; };

enum { most_turns = 80 };

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* quiet returns what a turn costs that little disturbs. */
static double quiet(double *figures, int n)
{
	qsort(figures, n, sizeof *figures, ascending);
	return figures[n / 10];
}

static reader *chosen, *bare, *empty;
static double given;

/* The turns alternate, so that all figures come from the same state of the machine. */
static struct costs calibrate(struct mix mix, int turns)
{
	double iterations[most_turns], wholes[most_turns], bares[most_turns], empties[most_turns], loops[most_turns];
	struct costs c = {0, 0, 0, 0};
	for (int i = 0; i < turns; i++) {
		iterations[i] = per_iteration();
		if (chosen) {
			wholes[i] = per_read(chosen, mix);
			bares[i] = bare ? per_read(bare, reads_only) : 0;
			empties[i] = per_read(empty, mix);
			loops[i] = per_read(empty, reads_only);
		}
	}
	c.iteration = quiet(iterations, turns);
	if (chosen) {
		double with = mix.ratio / 65536.0 * c.iteration, whole = quiet(wholes, turns) - with, around = quiet(empties, turns) - with;
		c.read = whole - around;
		if (bare) {
			c.read = quiet(bares, turns);
			c.loop = quiet(loops, turns);
		}
		if (given > 0)
			c.read = given;
		c.call = whole - c.read;
	}
	return c;
}

/* A block takes 2 ms at most. */
static struct mix choose(struct costs c, double share)
{
	double ratio = (c.read / share - c.read - c.call) / c.iteration, reads = 2e6 * share / c.read;
	return (struct mix){ratio > 0 ? ratio * 65536 : 0, reads < 1 ? 1 : reads > 50 ? 50 : reads};
}

static struct mix mix;
static atomic_int stop;

static void *run(void *arg)
{
	struct work *w = arg, mine = *w;
	do
		block(&mine, chosen, mix);
	while (!atomic_load_explicit(&stop, memory_order_relaxed));
	*w = mine;
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fputs("usage: reader vdso|syscall|gettimeofday|time|none PERCENT THREADS SECONDS [-read-ns NS] [-wait]\n", stderr);
		return 2;
	}
	double percent = atof(argv[2]), seconds = atof(argv[4]);
	int threads = atoi(argv[3]), wait = 0; /* 64 threads at most */
	if (!strcmp(argv[1], "vdso"))
		chosen = clock_gettime, bare = bare_vdso(), empty = nothing;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcmp(argv[1], calls[i].name))
			chosen = calls[i].read, empty = nothing;
	for (int i = 5; i < argc; i++) {
		if (!strcmp(argv[i], "-wait"))
			wait = 1;
		else
			given = atof(argv[++i]);
	}
	if (percent == 0)
		chosen = NULL;

	struct costs costs = calibrate(reads_only, 30);
	struct mix mixed = reads_only;
	mix = mixed;
	if (chosen) {
		/* Where arithmetic takes most of the time, the difference is lost in noise. */
		double share = percent / 100;
		mixed = choose(costs, share < 0.25 ? 0.25 : share);
		costs = calibrate(mixed, most_turns);
		mix = percent < 100 ? choose(costs, share) : mix;
	}

	char line[64];
	puts("ready");
	fflush(stdout);
	if (wait && !fgets(line, sizeof line, stdin))
		return 1;

	static struct work works[64];
	pthread_t ids[64];
	double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	if (seconds > 0) {
		for (int i = 0; i < threads; i++) {
			works[i].x = 88172645463325252 + i;
			if (pthread_create(&ids[i], NULL, run, &works[i])) {
				fprintf(stderr, "reader: no thread could be started\n");
				return 1;
			}
		}
		struct timespec span = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
		nanosleep(&span, NULL);
		atomic_store(&stop, 1);
		for (int i = 0; i < threads; i++)
			pthread_join(ids[i], NULL);
	}
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = now(CLOCK_MONOTONIC) - wall;
	struct costs after = calibrate(mixed, most_turns);
	costs.read = (costs.read + after.read) / 2;
	costs.call = (costs.call + after.call) / 2;
	costs.iteration = (costs.iteration + after.iteration) / 2;

	uint64_t reads = 0, iterations = 0;
	for (int i = 0; i < threads; i++) {
		reads += works[i].reads;
		iterations += works[i].iterations;
		sink += works[i].x;
	}
	__asm__ volatile("" : : "r"(sink));
	double in_reads = reads * costs.read, rest = iterations * costs.iteration + reads * costs.call;
	printf("{\"reads\":%" PRIu64 ",\"iterations\":%" PRIu64 ",\"cpu_ns\":%.0f,\"wall_ns\":%.0f"
	       ",\"read_ns\":%.3f,\"call_ns\":%.3f,\"loop_ns\":%.3f,\"iteration_ns\":%.4f,\"share\":%.5f,\"share_by_reads\":%.5f}\n",
	       reads, iterations, cpu, wall, costs.read, costs.call, costs.loop, costs.iteration,
	       reads ? in_reads / (in_reads + rest) : 0, reads ? in_reads / cpu : 0);
	return 0;
}
