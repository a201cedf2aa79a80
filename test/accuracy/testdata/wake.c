/* wake WAY SPAN COUNT sleeps COUNT times in one way, each time until a deadline that is SPAN ns, and a random part of
 * it, half and 1 ms at most, ahead. It prints the median lateness in ns. It shares no code with timebench. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef long long ns;

static ns now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct timespec spec(ns at) {
	struct timespec t = {at / 1000000000, at % 1000000000};
	return t;
}

static ns left(ns deadline) {
	ns rest = deadline - now();
	return rest > 0 ? rest : 0;
}

static int ms(ns deadline) { return (int)((left(deadline) + 999999) / 1000000); }

static int epfd, timer, ring;
static unsigned word;
static struct epoll_event event;

static void nanosleep_(ns d) { struct timespec t = spec(left(d)); nanosleep(&t, NULL); }
static void clock_nanosleep_(ns d) { struct timespec t = spec(d); clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); }
static void timerfd_(ns d) {
	struct itimerspec t = {{0, 0}, spec(d)};
	unsigned long long expired;
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &t, NULL);
	if (read(timer, &expired, sizeof expired) < 0) exit(1);
}
static void ppoll_(ns d) { struct timespec t = spec(left(d)); ppoll(NULL, 0, &t, NULL); }
static void poll_(ns d) { poll(NULL, 0, ms(d)); }
static void select_(ns d) {
	ns rest = left(d) + 999;
	struct timeval t = {rest / 1000000000, rest % 1000000000 / 1000};
	select(0, NULL, NULL, NULL, &t);
}
static void epoll_pwait2_(ns d) { struct timespec t = spec(left(d)); syscall(SYS_epoll_pwait2, epfd, &event, 1, &t, NULL, 0); }
static void epoll_wait_(ns d) { epoll_wait(epfd, &event, 1, ms(d)); }
static void futex_(ns d) {
	struct timespec t = spec(d);
	syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, FUTEX_BITSET_MATCH_ANY);
}

static void io_uring_(ns d) {
	ns rest = left(d);
	struct __kernel_timespec t = {rest / 1000000000, rest % 1000000000};
	struct io_uring_getevents_arg arg = {.ts = (unsigned long)&t};
	syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &arg, sizeof arg);
}

static struct {
	const char *name;
	void (*sleep)(ns deadline);
} ways[] = {{"nanosleep", nanosleep_}, {"clock_nanosleep", clock_nanosleep_}, {"timerfd", timerfd_}, {"ppoll", ppoll_},
	{"poll", poll_}, {"select", select_}, {"epoll_pwait2", epoll_pwait2_}, {"epoll_wait", epoll_wait_},
	{"futex", futex_}, {"io_uring", io_uring_}, {NULL, NULL}};

static int ascending(const void *a, const void *b) {
	ns x = *(const ns *)a, y = *(const ns *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	if (argc != 4) return 2;
	ns span = atoll(argv[2]), phase = span / 2 < 1000000 ? span / 2 : 1000000;
	int count = atoi(argv[3]), way = 0;
	ns *late = calloc(count, sizeof *late);
	while (ways[way].name && strcmp(ways[way].name, argv[1])) way++;
	if (!ways[way].name || count < 1) return 2;
	epfd = epoll_create1(0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct io_uring_params params = {0};
	ring = (int)syscall(SYS_io_uring_setup, 1, &params);
	if (ring < 0 && ways[way].sleep == io_uring_) return 3;
	srand48(getpid());
	for (int i = 0; i < count; i++) {
		ns deadline = now() + span + (ns)(drand48() * phase);
		ways[way].sleep(deadline);
		late[i] = now() - deadline;
	}
	qsort(late, count, sizeof *late, ascending);
	printf("%lld\n", (late[(count - 1) / 2] + late[count / 2]) / 2);
	return 0;
}
