/* Sleeps 300 times for a span in ns, and prints how late each sleep ended. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long long span = argc > 2 ? atoll(argv[2]) : 0;
	struct timespec t = {span / 1000000000, span % 1000000000};
	for (int i = 0; i < 300; i++) {
		long long begin = now();
		nanosleep(&t, NULL);
		printf("%lld\n", now() - begin - span);
	}
	return 0;
}
