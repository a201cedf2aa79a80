/* What scaling this machine has to give: threads that call an empty function,
   one and then one a CPU (argument), for five spans of 100 ms each in turn. It
   prints the calls a second of all over those of one, a CPU: the ratio of medians. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { spans = 5, most = 1024 };
static atomic_int ready, go, stop;
static struct { long calls; double end; char line[112]; } seen[most] __attribute__((aligned(128)));

__attribute__((noinline)) static void nothing(int a, void *b) { __asm__ volatile("" : : "r"(a), "r"(b)); }

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *work(void *arg)
{
	long i = (long)arg, calls = 0;
	ready++;
	while (!go)
		sched_yield();
	while (!stop) {
		for (int n = 0; n < 10000; n++)
			nothing(n, arg);
		calls += 10000;
	}
	seen[i].end = now();
	seen[i].calls = calls;
	return NULL;
}

static double measure(int threads)
{
	pthread_t ids[most];
	struct timespec span = {0, 100000000};
	double start, all = 0;
	ready = go = stop = 0;
	for (long i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)i);
	while (ready < threads)
		sched_yield();
	start = now();
	go = 1;
	nanosleep(&span, NULL);
	stop = 1;
	for (int i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		all += seen[i].calls / (seen[i].end - start);
	}
	return all;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	int cpus = argc == 2 ? atoi(argv[1]) : 0;
	double one[spans], all[spans];
	if (cpus < 1 || cpus > most)
		return 2;
	for (int i = 0; i < spans; i++) {
		one[i] = measure(1);
		all[i] = measure(cpus);
	}
	qsort(one, spans, sizeof *one, ascending);
	qsort(all, spans, sizeof *all, ascending);
	printf("%.4f\n", all[spans / 2] / one[spans / 2] / cpus);
	return 0;
}
