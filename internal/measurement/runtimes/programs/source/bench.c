/* The benchmark of the calls of C's library, for glibc and musl. timebench compiles it with
   cc -O2 -pthread and runs it as bench MODE ARGS... It prints lines of fields with tabs between them.

   cost ROUNDS SPAN_NS NAME...       the time of many calls, in rounds
   steps MOST MOST_NS NAME...        the differences between consecutive values
   mark TIMES NAME...                single calls, each after a stat() that a tracer recognizes
   threads COUNT SPAN_NS NAME...     calls of several threads in one span of time */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#define NS 1000000000LL

/* The compiler must assume that this changes x. So it neither removes the calls whose values are in
   the sum, nor the empty loop. It compiles to nothing. */
#define KEEP(x) __asm__ volatile("" : "+r"(x))

/* The reads of a block of steps. */
enum { BLOCK = 1000 };

/* Each call is written out in two loops: one that adds up the values, and one that keeps BLOCK values
   as they are, so that the reads follow each other as fast as the call allows. ns_id converts one. */
#define LOOP(id, declared, call, used) \
	static int64_t run_##id(int64_t n) \
	{ \
		int64_t sum = 0; \
		for (int64_t i = 0; i < n; i++) { \
			declared; \
			call; \
			sum += used; \
			KEEP(sum); \
		} \
		return sum; \
	}
#define CALL(id, type, call, used, ns) \
	LOOP(id, type t, call, used) \
	static type raw_##id[BLOCK]; \
	static void fill_##id(void) \
	{ \
		for (int i = 0; i < BLOCK; i++) { \
			type t; \
			call; \
			raw_##id[i] = t; \
		} \
	} \
	static int64_t ns_##id(int i) \
	{ \
		type t = raw_##id[i]; \
		return ns; \
	}

/* Not inlined, as the functions of the library are not. */
__attribute__((noinline)) static int64_t one(void)
{
	int64_t x = 1;
	KEEP(x);
	return x;
}

LOOP(loop, , , 1)
LOOP(call, int64_t x, x = one(), x)
CALL(realtime, struct timespec, clock_gettime(CLOCK_REALTIME, &t), t.tv_nsec, t.tv_sec * NS + t.tv_nsec)
CALL(monotonic, struct timespec, clock_gettime(CLOCK_MONOTONIC, &t), t.tv_nsec, t.tv_sec * NS + t.tv_nsec)
#ifdef CLOCK_MONOTONIC_COARSE
CALL(coarse, struct timespec, clock_gettime(CLOCK_MONOTONIC_COARSE, &t), t.tv_nsec, t.tv_sec * NS + t.tv_nsec)
#endif
CALL(gettimeofday, struct timeval, gettimeofday(&t, NULL), t.tv_usec, t.tv_sec * NS + t.tv_usec * 1000)
CALL(time, time_t, t = time(NULL), t, t * NS)
CALL(clock, clock_t, t = clock(), t, t * (NS / CLOCKS_PER_SEC))

struct call {
	const char *name;
	int64_t (*run)(int64_t n);
	void (*fill)(void);   /* NULL if the value is not a time */
	int64_t (*ns)(int i); /* value i of the block in nanoseconds */
};

static const struct call calls[] = {
	{"loop", run_loop, NULL, NULL},
	{"call", run_call, NULL, NULL},
	{"clock_gettime(CLOCK_REALTIME)", run_realtime, fill_realtime, ns_realtime},
	{"clock_gettime(CLOCK_MONOTONIC)", run_monotonic, fill_monotonic, ns_monotonic},
#ifdef CLOCK_MONOTONIC_COARSE
	{"clock_gettime(CLOCK_MONOTONIC_COARSE)", run_coarse, fill_coarse, ns_coarse},
#endif
	{"gettimeofday", run_gettimeofday, fill_gettimeofday, ns_gettimeofday},
	{"time", run_time, fill_time, ns_time},
	{"clock", run_clock, fill_clock, ns_clock},
};
enum { CALLS = sizeof calls / sizeof *calls };

static volatile int64_t sink;

static int64_t stopwatch(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS + t.tv_nsec;
}

static int64_t timed(const struct call *c, int64_t n)
{
	int64_t begin = stopwatch();
	sink = c->run(n);
	return stopwatch() - begin;
}

/* Returns the nanoseconds of one of the first 100 calls. If the stopwatch has not moved, more follow. */
static double first(const struct call *c)
{
	int64_t begin = stopwatch(), n = 0, elapsed;
	do {
		sink = c->run(100);
		n += 100;
		elapsed = stopwatch() - begin;
	} while (elapsed <= 0);
	return (double)elapsed / n;
}

/* Returns the calls that take a span. */
static int64_t calibrated(const struct call *c, int64_t span)
{
	int64_t n = 1, elapsed;
	for (;; n *= 2) {
		elapsed = timed(c, n);
		/* Twice again: another program may have had the CPU. */
		for (int i = 0; i < 2 && elapsed >= span / 2; i++) {
			int64_t again = timed(c, n);
			elapsed = again < elapsed ? again : elapsed;
		}
		if (elapsed >= span / 2)
			break;
	}
	n = (int64_t)((double)n * span / (elapsed > 0 ? elapsed : 1));
	return n > 1 ? n : 1;
}

static void cost(const struct call **named, int count, int64_t rounds, int64_t span)
{
	int64_t *n = calloc(count, sizeof *n);
	for (int k = 0; k < count; k++)
		printf("warm\t%s\t%.9f\n", named[k]->name, first(named[k]));
	for (int k = 0; k < count; k++) {
		n[k] = calibrated(named[k], span);
		sink = named[k]->run(n[k]); /* the warm-up */
	}
	for (int64_t r = 0; r < rounds; r++)
		for (int i = 0; i < count; i++) {
			int k = (r + i) % count;
			printf("cost\t%s\t%" PRId64 "\t%" PRId64 "\n", named[k]->name, n[k], timed(named[k], n[k]));
		}
	free(n);
	printf("sink\t%" PRId64 "\n", sink);
}

static void steps(const struct call **named, int count, int64_t most, int64_t most_ns)
{
	for (int k = 0; k < count; k++) {
		const struct call *c = named[k];
		if (c->fill == NULL)
			continue;
		int64_t found = 0, reads = 0, repeats = 0, *step = calloc(most, sizeof *step);
		if (step == NULL) {
			fprintf(stderr, "no memory for %" PRId64 " steps\n", most);
			exit(1);
		}
		c->fill(); /* the warm-up */
		for (int64_t begin = stopwatch(); found < most && stopwatch() - begin < most_ns;) {
			c->fill();
			reads += BLOCK - 1;
			/* A block without a step takes no time here. Otherwise many ticks of time() fall between blocks. */
			if (c->ns(0) == c->ns(BLOCK - 1)) {
				repeats += BLOCK - 1;
				continue;
			}
			for (int i = 1; i < BLOCK; i++) {
				int64_t passed = c->ns(i) - c->ns(i - 1);
				if (passed == 0)
					repeats++;
				else if (found < most)
					step[found++] = passed;
			}
		}
		for (int64_t i = 0; i < found; i++)
			printf("step\t%s\t%" PRId64 "\n", c->name, step[i]);
		printf("seen\t%s\t%" PRId64 "\t%" PRId64 "\n", c->name, reads, repeats);
		free(step);
	}
}

static void mark(const char *name)
{
	char path[128];
	struct stat s;
	snprintf(path, sizeof path, "/timebench-mark/%s", name);
	for (char *p = path + strlen("/timebench-mark/"); *p; p++)
		if (!isalnum((unsigned char)*p) && strchr("._-", *p) == NULL)
			*p = '_';
	if (stat(path, &s) == 0)
		sink = 1;
}

static void marked(const struct call **named, int count, int64_t times, int64_t unused)
{
	(void)unused;
	mark("start");
	for (int k = 0; k < count; k++)
		sink = named[k]->run(1);
	for (int k = 0; k < count; k++)
		for (int64_t t = 0; t < times; t++) {
			mark(named[k]->name);
			sink = named[k]->run(1);
		}
	mark("end");
}

/* The barrier: how many threads wait, and the common deadline, which is 0 until the release. Each
   thread polls it: threads that sleep wake one after the other, and the last ones late. */
static atomic_llong waiting, deadline;

/* One thread. Its counts are on a cache line of their own. */
struct worker {
	_Alignas(128) const struct call *call;
	pthread_t thread;
	int64_t chunk, calls, ended, sum;
};

static void *work(void *argument)
{
	struct worker *w = argument;
	int64_t end, now, calls = 0, sum = 0;
	atomic_fetch_add(&waiting, 1);
	while ((end = atomic_load(&deadline)) == 0)
		sched_yield();
	while ((now = stopwatch()) < end) {
		sum += w->call->run(w->chunk);
		calls += w->chunk;
	}
	w->calls = calls;
	w->ended = now;
	w->sum = sum;
	return NULL;
}

static void threads(const struct call **named, int count, int64_t threads, int64_t span)
{
	struct worker *workers = (uint64_t)threads > SIZE_MAX / sizeof *workers ? NULL : aligned_alloc(128, threads * sizeof *workers);
	if (workers == NULL) {
		fprintf(stderr, "no memory for %" PRId64 " threads\n", threads);
		exit(1);
	}
	for (int k = 0; k < count; k++) {
		/* The stopwatch is read every 50 us. */
		int64_t chunk = calibrated(named[k], 50000), release, last = 0;
		atomic_store(&waiting, 0);
		atomic_store(&deadline, 0);
		for (int64_t i = 0; i < threads; i++) {
			workers[i] = (struct worker){.call = named[k], .chunk = chunk};
			int failed = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
			if (failed) {
				fprintf(stderr, "thread %" PRId64 " of %" PRId64 ": %s\n", i + 1, threads, strerror(failed));
				exit(1);
			}
		}
		while (atomic_load(&waiting) < threads)
			sched_yield();
		release = stopwatch();
		atomic_store(&deadline, release + span);
		for (int64_t i = 0; i < threads; i++) {
			pthread_join(workers[i].thread, NULL);
			printf("thread\t%s\t%" PRId64 "\t%" PRId64 "\n", named[k]->name, i, workers[i].calls);
			sink += workers[i].sum;
			last = workers[i].ended > last ? workers[i].ended : last;
		}
		printf("passed\t%s\t%" PRId64 "\n", named[k]->name, last - release);
	}
	free(workers);
}

static const struct mode {
	const char *name;
	int numbers;
	void (*run)(const struct call **named, int count, int64_t first, int64_t second);
} modes[] = {{"cost", 2, cost}, {"steps", 2, steps}, {"mark", 1, marked}, {"threads", 2, threads}};

static int usage(void)
{
	fputs("usage: cost ROUNDS SPAN_NS NAME... | steps MOST MOST_NS NAME... | mark TIMES NAME... | threads COUNT SPAN_NS NAME...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const struct mode *mode = NULL;
	int64_t numbers[2] = {0, 0};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (argc > 1 && strcmp(argv[1], modes[i].name) == 0)
			mode = &modes[i];
	if (mode == NULL || argc <= 2 + mode->numbers)
		return usage();
	for (int i = 0; i < mode->numbers; i++) {
		char *end;
		numbers[i] = strtoll(argv[2 + i], &end, 10);
		if (*end != '\0' || numbers[i] < 1)
			return usage();
	}
	const struct call **named = calloc(argc, sizeof *named);
	int count = 0;
	for (int i = 2 + mode->numbers; i < argc; i++) {
		const struct call *found = NULL;
		for (int k = 0; k < CALLS; k++)
			if (strcmp(argv[i], calls[k].name) == 0)
				found = &calls[k];
		if (found == NULL)
			printf("missing\t%s\tno such call\n", argv[i]);
		else
			named[count++] = found;
	}
	if (count > 0)
		mode->run(named, count, numbers[0], numbers[1]);
	free(named);
	puts("done");
	return 0;
}
