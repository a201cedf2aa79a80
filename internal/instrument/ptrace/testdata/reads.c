/* Makes each call TIMES times, with a mark before it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static void mark(const char *name) {
	char path[128];
	struct stat st;
	snprintf(path, sizeof path, "/timebench-mark/%s", name);
	stat(path, &st);
}

#define CALL(name, call) for (int i = 0; i < n; i++) { mark(name); call; }

static clockid_t own, process, other;
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;

static void *waits(void *unused) {
	pthread_mutex_lock(&never);
	return unused;
}

int main(int argc, char **argv) {
	int n = atoi(argv[1]);
	struct timespec ts;
	struct timeval tv;
	struct timezone tz;
	struct tms tms;
	struct rusage usage;
	pthread_t thread;
	pthread_mutex_lock(&never);
	pthread_create(&thread, NULL, waits, NULL);
	pthread_getcpuclockid(pthread_self(), &own);
	pthread_getcpuclockid(thread, &other);
	process = ((~(clockid_t)getpid()) << 3) | 2;
	CALL("realtime", clock_gettime(CLOCK_REALTIME, &ts))
	CALL("monotonic", clock_gettime(CLOCK_MONOTONIC, &ts))
	CALL("coarse", clock_gettime(CLOCK_MONOTONIC_COARSE, &ts))
	CALL("gettimeofday", gettimeofday(&tv, NULL))
	CALL("time", time(NULL))
	CALL("zone", syscall(SYS_gettimeofday, NULL, &tz))
	CALL("two", clock_gettime(CLOCK_BOOTTIME, &ts); clock_gettime(CLOCK_TAI, &ts))
	/* Returns the number of a system call that reads a clock. */
	CALL("nothing", dup2(1, SYS_clock_gettime))
	CALL("clock", clock())
	CALL("thread", clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts))
	CALL("own", clock_gettime(own, &ts))
	CALL("other", clock_gettime(other, &ts))
	CALL("process", clock_gettime(process, &ts))
	CALL("device", clock_gettime((~(clockid_t)5) << 3 | 3, &ts))
	CALL("unknown", clock_gettime(1000, &ts))
	CALL("times", times(&tms))
	CALL("getrusage", getrusage(RUSAGE_SELF, &usage))
	CALL("direct", syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &ts))
	mark("end");
	clock_gettime(CLOCK_REALTIME, &ts);
	return 0;
}
