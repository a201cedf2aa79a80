/* A program whose first thread ends. Another thread reads a clock until it has used a number of ms of CPU time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *reads(void *ms)
{
	struct timespec now, used;
	pthread_setname_np(pthread_self(), "reads");
	do {
		for (int i = 0; i < 100000; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < atoi(ms));
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t id;
	if (argc < 2 || pthread_create(&id, NULL, reads, argv[1]))
		return 1;
	pthread_exit(NULL);
}
