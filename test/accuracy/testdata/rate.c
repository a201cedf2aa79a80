/* How fast the CPU's counter runs by CLOCK_MONOTONIC, to check timebench against: two
   looks so many seconds (argument) apart, each the tightest of many brackets. It prints
   the ticks a second and how far they may be from the truth. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
static int64_t counter(void)
{
	uint32_t low, high;
	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (int64_t)high << 32 | low;
}
#else
static int64_t counter(void)
{
	int64_t ticks;
	__asm__ volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(ticks) : : "memory");
	return ticks;
}
#endif

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

struct look { int64_t ticks, before, width; };

static struct look look(void)
{
	struct look best = {0, 0, INT64_MAX};
	for (int i = 0; i < 20000; i++) {
		int64_t before = now(), ticks = counter(), width = now() - before;
		if (width < best.width)
			best = (struct look){ticks, before, width};
	}
	return best;
}

int main(int argc, char **argv)
{
	if (argc != 2 || atoi(argv[1]) < 1)
		return 2;
	struct look first = look();
	sleep(atoi(argv[1]));
	struct look last = look();
	double ns = (last.before + last.width / 2.0) - (first.before + first.width / 2.0);
	double hz = (last.ticks - first.ticks) * 1e9 / ns;
	printf("%.3f %.3f\n", hz, (first.width + last.width) / 2.0 / ns * hz);
	return 0;
}
