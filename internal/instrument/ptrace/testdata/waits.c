/* Waits for 3 ms by each system call, after a mark with its name. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void mark(const char *path)
{
	struct stat s;
	stat(path, &s);
}

static struct timespec later(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += 3000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *other(void *argument)
{
	return usleep(3000), argument;
}

int main(void)
{
	struct timespec span = {0, 3000000}, t, none = {0, 0};
	struct timeval tv = {0, 3000};
	struct epoll_event event;
	uint32_t word = 0;
	int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_t thread;

	mark("/timebench-mark/nanosleep");
	syscall(SYS_nanosleep, &span, NULL);
	mark("/timebench-mark/clock_nanosleep");
	syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &span, NULL);
	mark("/timebench-mark/clock_nanosleep until");
	t = later(CLOCK_REALTIME);
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
	mark("/timebench-mark/futex");
	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0);
	mark("/timebench-mark/futex until");
	t = later(CLOCK_MONOTONIC);
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, FUTEX_BITSET_MATCH_ANY);
	mark("/timebench-mark/epoll_pwait");
	syscall(SYS_epoll_pwait, epoll, &event, 1, 3, NULL, 8);
	mark("/timebench-mark/ppoll");
	ppoll(NULL, 0, &span, NULL);
	mark("/timebench-mark/pselect6");
	pselect(0, NULL, NULL, NULL, &span, NULL);
	mark("/timebench-mark/timerfd_settime");
	timerfd_settime(timer, 0, &(struct itimerspec){.it_value = span}, NULL);
#ifdef SYS_poll
	mark("/timebench-mark/poll");
	syscall(SYS_poll, NULL, 0, 3);
#endif
#ifdef SYS_epoll_wait
	mark("/timebench-mark/epoll_wait");
	syscall(SYS_epoll_wait, epoll, &event, 1, 3);
#endif
#ifdef __x86_64__
	mark("/timebench-mark/select");
	syscall(SYS_select, 0, NULL, NULL, NULL, &tv);
#endif
	mark("/timebench-mark/nothing");
	tv = (struct timeval){0, 0};
	select(0, NULL, NULL, NULL, &tv);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, &span, NULL, 0);
	ppoll(NULL, 0, &none, NULL);
	mark("/timebench-mark/other thread");
	if (pthread_create(&thread, NULL, other, NULL) == 0)
		pthread_join(thread, NULL);
	mark("/timebench-mark/end");
	return 0;
}
