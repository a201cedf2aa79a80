/* A plain C loop around one clock, to check timebench against. It prints the
   wall nanoseconds of one read: the median of 15 turns of about 5 ms.

   loop libc CLOCK_MONOTONIC      clock_gettime through libc
   loop libc CLOCK_MONOTONIC 20   the same with turns of 20 reads, short enough for a busy machine
   loop vdso CLOCK_MONOTONIC      the same function of the vDSO, without libc
   loop syscall CLOCK_MONOTONIC   syscall(SYS_clock_gettime) of libc
   loop door CLOCK_MONOTONIC      a function that only makes the system call
   loop cpu RDTSC                 the instruction
   gettimeofday and time likewise; loop empty floor is a call of nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const struct { const char *name; clockid_t id; } ids[] = {
	{"CLOCK_REALTIME", CLOCK_REALTIME}, {"CLOCK_MONOTONIC", CLOCK_MONOTONIC},
	{"CLOCK_MONOTONIC_RAW", CLOCK_MONOTONIC_RAW}, {"CLOCK_REALTIME_COARSE", CLOCK_REALTIME_COARSE},
	{"CLOCK_MONOTONIC_COARSE", CLOCK_MONOTONIC_COARSE}, {"CLOCK_BOOTTIME", CLOCK_BOOTTIME},
	{"CLOCK_TAI", CLOCK_TAI}, {"CLOCK_PROCESS_CPUTIME_ID", CLOCK_PROCESS_CPUTIME_ID},
	{"CLOCK_THREAD_CPUTIME_ID", CLOCK_THREAD_CPUTIME_ID},
};

static clockid_t id;
static struct timespec ts;
/* A 32-bit CPU has two forms of the call; programs of today use that with times of 64 bits. */
#ifdef SYS_clock_gettime64
#undef SYS_clock_gettime
#define SYS_clock_gettime SYS_clock_gettime64
#endif
static long long value[2];
static struct timeval tv;
static int (*vdso_clock_gettime)(clockid_t, void *);
static int (*vdso_gettimeofday)(struct timeval *, void *);
static time_t (*vdso_time)(time_t *);
#if defined(__i386__)
static unsigned long vsyscall;
#endif

#define LOOP(name, read) static void name(long n) { while (n-- > 0) { read; } }
LOOP(libc_clock, clock_gettime(id, &ts))
LOOP(libc_tod, gettimeofday(&tv, NULL))
LOOP(libc_time, time(NULL))
LOOP(sys_clock, syscall(SYS_clock_gettime, id, value))
LOOP(sys_tod, syscall(SYS_gettimeofday, &tv, NULL))
#ifdef SYS_time
LOOP(sys_time, syscall(SYS_time, NULL))
#endif
/* As small as libc's own wrappers: the number to its register, the instruction, return. */
__attribute__((noinline)) static long door(long first, void *second, long nr)
{
#if defined(__x86_64__)
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(first), "S"(second) : "rcx", "r11", "memory");
	return result;
#elif defined(__i386__)
	/* __kernel_vsyscall has the fastest instruction of the CPU. */
	long result;
	__asm__ volatile("call *%4" : "=a"(result) : "a"(nr), "b"(first), "c"(second), "r"(vsyscall) : "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = first;
	register void *x1 __asm__("x1") = second;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
#elif defined(__riscv)
	register long a7 __asm__("a7") = nr;
	register long a0 __asm__("a0") = first;
	register void *a1 __asm__("a1") = second;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1) : "memory");
	return a0;
#elif defined(__arm__)
	register long r0 __asm__("r0") = first;
	register void *r1 __asm__("r1") = second;
	/* r7 is the frame pointer of Thumb code. */
	__asm__ volatile("push {r7}\n\tmov r7, %1\n\tsvc 0\n\tpop {r7}" : "+r"(r0) : "r"(nr), "r"(r1) : "memory");
	return r0;
#elif defined(__s390x__)
	register long r1 __asm__("1") = nr;
	register long r2 __asm__("2") = first;
	register void *r3 __asm__("3") = second;
	__asm__ volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3) : "memory");
	return r2;
#elif defined(__powerpc64__)
	register long r0 __asm__("r0") = nr;
	register long r3 __asm__("r3") = first;
	register void *r4 __asm__("r4") = second;
	__asm__ volatile("sc" : "+r"(r0), "+r"(r3), "+r"(r4) : : "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr", "memory");
	return r3;
#endif
}
LOOP(door_clock, door(id, value, SYS_clock_gettime))
LOOP(door_tod, door((long)&tv, NULL, SYS_gettimeofday))
#ifdef SYS_time
LOOP(door_time, door(0, NULL, SYS_time))
#endif
static void direct_clock(long n) { int (*f)(clockid_t, void *) = vdso_clock_gettime; while (n-- > 0) f(id, value); }
static void direct_tod(long n) { int (*f)(struct timeval *, void *) = vdso_gettimeofday; while (n-- > 0) f(&tv, NULL); }
static void direct_time(long n) { time_t (*f)(time_t *) = vdso_time; while (n-- > 0) f(NULL); }
__attribute__((noinline)) static void nothing(int a, void *b) { __asm__ volatile("" : : "r"(a), "r"(b)); }
LOOP(empty, nothing(id, &ts))
#if defined(__x86_64__) || defined(__i386__)
LOOP(rdtsc, __asm__ volatile("rdtsc" : : : "eax", "edx"))
LOOP(lfence_rdtsc, __asm__ volatile("lfence; rdtsc" : : : "eax", "edx"))
LOOP(rdtscp, __asm__ volatile("rdtscp" : : : "eax", "edx", "ecx"))
#elif defined(__aarch64__)
LOOP(cntvct, __asm__ volatile("mrs x0, cntvct_el0" : : : "x0"))
LOOP(isb_cntvct, __asm__ volatile("isb; mrs x0, cntvct_el0" : : : "x0"))
#elif defined(__riscv)
LOOP(rdtime, __asm__ volatile("rdtime a0" : : : "a0"))
#elif defined(__arm__)
LOOP(cntvct, __asm__ volatile("mrrc p15, 1, r0, r1, c14" : : : "r0", "r1"))
LOOP(isb_cntvct, __asm__ volatile("isb; mrrc p15, 1, r0, r1, c14" : : : "r0", "r1"))
#elif defined(__s390x__)
LOOP(stckf, __asm__ volatile("stckf %0" : "=Q"(value[0]) : : "cc"))
LOOP(stck, __asm__ volatile("stck %0" : "=Q"(value[0]) : : "cc"))
#elif defined(__powerpc64__)
LOOP(mftb, __asm__ volatile("mfspr 3, 268" : : : "r3"))
#endif

/* The function of the vDSO for a call: its name and that of the vDSO depend on the CPU. */
static void *vdso_symbol(const char *call)
{
	static const char *const images[] = {"linux-vdso.so.1", "linux-vdso64.so.1", "linux-gate.so.1"};
	static const char *const prefixes[] = {"__vdso_", "__kernel_"};
	char name[64];
	for (int i = 0; i < 6; i++) {
		void *image = dlopen(images[i / 2], RTLD_LAZY | RTLD_NOLOAD);
		snprintf(name, sizeof name, "%s%s", prefixes[i % 2], call);
		void *symbol = image ? dlsym(image, name) : NULL;
		if (symbol)
			return symbol;
	}
	return NULL;
}

static void (*choose(const char *path, const char *call))(long)
{
	int tod = !strcmp(call, "gettimeofday"), tm = !strcmp(call, "time");
	if (!strcmp(path, "empty"))
		return empty;
	if (!strcmp(path, "cpu")) {
#if defined(__x86_64__) || defined(__i386__)
		if (!strcmp(call, "RDTSC")) return rdtsc;
		if (!strcmp(call, "LFENCE+RDTSC")) return lfence_rdtsc;
		if (!strcmp(call, "RDTSCP")) return rdtscp;
#elif defined(__aarch64__)
		if (!strcmp(call, "CNTVCT_EL0")) return cntvct;
		if (!strcmp(call, "ISB+CNTVCT_EL0")) return isb_cntvct;
#elif defined(__riscv)
		if (!strcmp(call, "RDTIME")) return rdtime;
#elif defined(__arm__)
		if (!strcmp(call, "CNTVCT")) return cntvct;
		if (!strcmp(call, "ISB+CNTVCT")) return isb_cntvct;
#elif defined(__s390x__)
		if (!strcmp(call, "STCKF")) return stckf;
		if (!strcmp(call, "STCK")) return stck;
#elif defined(__powerpc64__)
		if (!strcmp(call, "MFTB")) return mftb;
#endif
		return NULL;
	}
	if (!tod && !tm) {
		size_t i, known = sizeof ids / sizeof *ids;
		for (i = 0; i < known && strcmp(ids[i].name, call); i++) {}
		if (i == known)
			return NULL;
		id = ids[i].id;
	}
	if (!strcmp(path, "libc"))
		return tod ? libc_tod : tm ? libc_time : libc_clock;
	if (!strcmp(path, "syscall")) {
#ifdef SYS_time
		if (tm) return sys_time;
#endif
		return tod ? sys_tod : tm ? NULL : sys_clock;
	}
	if (!strcmp(path, "door")) {
#if defined(__i386__)
		vsyscall = getauxval(AT_SYSINFO);
#endif
#ifdef SYS_time
		if (tm) return door_time;
#endif
		return tod ? door_tod : tm ? NULL : door_clock;
	}
	vdso_clock_gettime = vdso_symbol(sizeof(long) == 4 ? "clock_gettime64" : "clock_gettime");
	vdso_gettimeofday = vdso_symbol("gettimeofday");
	vdso_time = vdso_symbol("time");
	if (tod) return vdso_gettimeofday ? direct_tod : NULL;
	if (tm) return vdso_time ? direct_time : NULL;
	return vdso_clock_gettime ? direct_clock : NULL;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	enum { turns = 15 };
	double figures[turns], start, spent = 0;
	long n = argc == 4 ? atol(argv[3]) : 1000;
	void (*loop)(long) = argc == 3 || (argc == 4 && n > 0) ? choose(argv[1], argv[2]) : NULL;
	if (!loop) {
		fprintf(stderr, "loop: no such clock\n");
		return 2;
	}
	while (argc == 3 && spent < 5e6) {
		n *= 2;
		start = now();
		loop(n);
		spent = now() - start;
	}
	for (int i = 0; i < turns; i++) {
		start = now();
		loop(n);
		figures[i] = (now() - start) / n;
	}
	qsort(figures, turns, sizeof *figures, ascending);
	printf("%.4f\n", figures[turns / 2]);
	return 0;
}
