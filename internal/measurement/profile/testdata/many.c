/* many PROCESSES THREADS: starts so many processes, and so many threads in one of them. Each
   of them reads a clock ten times a second. Prints "ready PID" with the process that has the
   threads when all are there, and ends with standard input. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static void *work(void *unused)
{
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	struct timespec now;
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		nanosleep(&pause, NULL);
	}
	return unused;
}

static void failed(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	int ready[2];
	char c;
	if (argc != 3 || pipe(ready))
		return 2;
	int processes = atoi(argv[1]), threads = atoi(argv[2]);
	pid_t parent = getpid(), first = 0;
	for (int i = 0; i < processes; i++) {
		pid_t pid = fork();
		if (pid < 0)
			failed("fork");
		if (pid > 0) {
			if (i == 0)
				first = pid;
			continue;
		}
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			return 0;
		for (int k = 1; i == 0 && k < threads; k++) {
			pthread_attr_t small;
			pthread_t thread;
			pthread_attr_init(&small);
			pthread_attr_setstacksize(&small, 64 * 1024);
			if (pthread_create(&thread, &small, work, NULL))
				failed("pthread_create");
		}
		if (write(ready[1], "x", 1) != 1)
			failed("write");
		work(NULL);
	}
	for (int i = 0; i < processes; i++)
		if (read(ready[0], &c, 1) != 1)
			failed("read");
	printf("ready %d\n", (int)first);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
