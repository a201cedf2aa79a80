/* A program whose first thread ends. Another one reads a clock for so many seconds. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *reads(void *seconds)
{
	struct timespec start, now;
	pthread_setname_np(pthread_self(), "reads");
	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec - start.tv_sec < atoi(seconds));
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t id;
	if (argc < 2 || pthread_create(&id, NULL, reads, argv[1]))
		return 1;
	pthread_exit(NULL);
}
