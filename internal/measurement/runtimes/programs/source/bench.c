/* The benchmark of the calls of C's library, for glibc and musl. timebench compiles it with
   cc -O2 -pthread. The protocol is in ../programs.go. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
#ifdef RUSAGE_THREAD
CALL(getrusage, struct rusage, getrusage(RUSAGE_THREAD, &t), t.ru_utime.tv_usec,
	t.ru_utime.tv_sec * NS + t.ru_utime.tv_usec * 1000)
#endif

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
#ifdef RUSAGE_THREAD
	{"getrusage(RUSAGE_THREAD)", run_getrusage, fill_getrusage, ns_getrusage},
#endif
	{"nanosleep", NULL, NULL, NULL},
};

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

static void run(const struct call *c, const int64_t *numbers)
{
	for (int64_t i = 0; i < numbers[1]; i++)
		printf("%" PRId64 " ", timed(c, numbers[0]));
}

static void steps(const struct call *c, const int64_t *numbers)
{
	int64_t repeats = 0, most = numbers[1];
	if (c->fill == NULL) {
		printf("missing its value is not a time");
		return;
	}
	for (int64_t block = 0; block < numbers[0]; block++) {
		c->fill();
		/* A block without a step takes no time here. Otherwise many ticks of time() fall between blocks. */
		if (c->ns(0) == c->ns(BLOCK - 1)) {
			repeats += BLOCK - 1;
			continue;
		}
		for (int i = 1; i < BLOCK; i++) {
			int64_t step = c->ns(i) - c->ns(i - 1);
			if (step == 0)
				repeats++;
			else if (most-- > 0)
				printf("%" PRId64 " ", step);
		}
	}
	printf("%" PRId64, repeats);
}

static void mark(const struct call *c, const int64_t *numbers)
{
	char path[64];
	struct stat s;
	snprintf(path, sizeof path, "/timebench-mark/%" PRId64, numbers[1]);
	for (int64_t i = 0; i < numbers[0]; i++) {
		sink = stat(path, &s);
		sink = c->run(1);
	}
	sink = stat("/timebench-mark/end", &s);
}

static void sleeps(const struct call *c, const int64_t *numbers)
{
	(void)c;
	struct timespec span = {numbers[1] / NS, numbers[1] % NS};
	for (int64_t i = 0; i < numbers[0]; i++) {
		int64_t begin = stopwatch();
		nanosleep(&span, NULL);
		printf("%" PRId64 " ", stopwatch() - begin - numbers[1]);
	}
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

static void threads(const struct call *c, const int64_t *numbers)
{
	int64_t count = numbers[1], last = 0;
	struct worker *workers = (uint64_t)count > SIZE_MAX / sizeof *workers ? NULL : aligned_alloc(128, count * sizeof *workers);
	if (workers == NULL) {
		fprintf(stderr, "no memory for %" PRId64 " threads\n", count);
		exit(1);
	}
	atomic_store(&waiting, 0);
	atomic_store(&deadline, 0);
	for (int64_t i = 0; i < count; i++) {
		workers[i] = (struct worker){.call = c, .chunk = numbers[0]};
		int failed = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (failed) {
			fprintf(stderr, "thread %" PRId64 " of %" PRId64 ": %s\n", i + 1, count, strerror(failed));
			exit(1);
		}
	}
	while (atomic_load(&waiting) < count)
		sched_yield();
	int64_t release = stopwatch();
	atomic_store(&deadline, release + numbers[2]);
	for (int64_t i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("%" PRId64 " ", workers[i].calls);
		sink = workers[i].sum;
		last = workers[i].ended > last ? workers[i].ended : last;
	}
	printf("%" PRId64, last - release);
	free(workers);
}

static const struct verb {
	const char *name;
	void (*obey)(const struct call *c, const int64_t *numbers);
} verbs[] = {{"run", run}, {"steps", steps}, {"mark", mark}, {"threads", threads}, {"sleep", sleeps}};

int main(void)
{
	char line[256];
	while (fgets(line, sizeof line, stdin) != NULL) {
		const struct call *call = NULL;
		const struct verb *verb = NULL;
		int64_t numbers[3] = {0};
		const char *field = strtok(line, "\t\n");
		for (size_t i = 0; field && i < sizeof verbs / sizeof *verbs; i++)
			if (strcmp(field, verbs[i].name) == 0)
				verb = &verbs[i];
		field = strtok(NULL, "\t\n");
		for (size_t i = 0; field && i < sizeof calls / sizeof *calls; i++)
			if (strcmp(field, calls[i].name) == 0)
				call = &calls[i];
		for (int i = 0; i < 3 && (field = strtok(NULL, "\t\n")); i++)
			numbers[i] = atoll(field);
		if (verb && call)
			verb->obey(call, numbers);
		else
			printf("missing no such call");
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}
