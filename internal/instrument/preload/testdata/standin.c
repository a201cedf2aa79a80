/* A stand-in for the clock, as libfaketime: it is three days behind, and makes a system call for each read. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *now)
{
	long failed = syscall(SYS_clock_gettime, id, now);

	if (!failed && id == CLOCK_REALTIME)
		now->tv_sec -= 3 * 24 * 3600;
	return failed;
}
