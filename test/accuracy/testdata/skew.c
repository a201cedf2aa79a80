/* How far CLOCK_MONOTONIC of one CPU is ahead of another's (arguments: the CPUs), to
   check timebench against. Two threads answer each other; every round says that the
   other's reading was made between the two of the first. It prints the least and the
   most, in nanoseconds, that all rounds leave. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { rounds = 300000 };
static struct { _Atomic int64_t round; int64_t read; char line[112]; } asked, answered __attribute__((aligned(128)));

static int pin(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set);
}

static int64_t now(void)
{
	struct timespec t;
	atomic_thread_fence(memory_order_seq_cst);
	clock_gettime(CLOCK_MONOTONIC, &t);
	atomic_thread_fence(memory_order_seq_cst);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *answer(void *cpu)
{
	if (pin(*(int *)cpu))
		exit(1);
	for (int64_t i = 1; i <= rounds; i++) {
		while (atomic_load(&asked.round) != i)
			;
		answered.read = now();
		atomic_store(&answered.round, i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int cpu = atoi(argv[1]), other = atoi(argv[2]);
	int64_t least = INT64_MIN, most = INT64_MAX;
	pthread_t thread;
	if (pin(cpu) || pthread_create(&thread, NULL, answer, &other))
		return 1;
	for (int64_t i = 1; i <= rounds; i++) {
		int64_t before = now();
		atomic_store(&asked.round, i);
		while (atomic_load(&answered.round) != i)
			;
		int64_t after = now(), read = answered.read;
		if (read - after > least)
			least = read - after;
		if (read - before < most)
			most = read - before;
	}
	printf("%lld %lld\n", (long long)least, (long long)most);
	return 0;
}
