/* A plain C loop around one clock of Windows, to check timebench against. It prints
   the wall nanoseconds of one read: the median of 15 turns of about 5 ms.

   loop winapi GetTickCount64     the function, by its address; the same with syscall
   loop memory SystemTime         the page that the kernel shares with every process
   loop cpu RDTSC                 the instruction
   loop empty floor               a call of nothing

   For the shared page under Wine it has two more:

   loop step SystemTime           the milliseconds by which a time of the page steps: the
                                  median and the quartiles of a second, in which it asks
                                  nothing of the system
   loop ask 1                     asks wineserver for something every millisecond, until it
                                  is ended or ten seconds have passed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* NtQueryPerformanceCounter has a second argument, which may be NULL; the others ignore it. */
typedef void(WINAPI *stores_t)(LARGE_INTEGER *, void *);
typedef ULONGLONG(WINAPI *returns_t)(void);

static stores_t stores;
static returns_t returns;
static LARGE_INTEGER value;
static volatile ULONGLONG sink;
static volatile const ULONG *page_time;

__attribute__((noinline)) static void WINAPI nothing(LARGE_INTEGER *at, void *none) { __asm__ volatile("" : : "r"(at), "r"(none)); }

#define LOOP(name, read) static void name(long n) { stores_t s = stores; returns_t r = returns; (void)s; (void)r; while (n-- > 0) { read; } }
LOOP(spin_stores, s(&value, NULL))
LOOP(spin_returns, sink = r())
LOOP(rdtsc, __asm__ volatile("rdtsc" : : : "eax", "edx"))
LOOP(lfence_rdtsc, __asm__ volatile("lfence; rdtsc" : : : "eax", "edx"))
LOOP(rdtscp, __asm__ volatile("rdtscp" : : : "eax", "edx", "ecx"))
static void memory(long n)
{
	volatile const ULONG *at = page_time;
	ULONG high, low;
	while (n-- > 0)
		do {
			high = at[1];
			low = at[0];
		} while (high != at[2]);
	(void)low;
}

static const struct { const char *name, *dll; int by_return; } functions[] = {
	{"GetSystemTimeAsFileTime", "kernel32", 0}, {"GetSystemTimePreciseAsFileTime", "kernel32", 0},
	{"QueryPerformanceCounter", "kernel32", 0}, {"QueryInterruptTime", "kernelbase", 0},
	{"QueryInterruptTimePrecise", "kernelbase", 0}, {"QueryUnbiasedInterruptTime", "kernel32", 0},
	{"QueryUnbiasedInterruptTimePrecise", "kernelbase", 0}, {"GetTickCount", "kernel32", 1},
	{"GetTickCount64", "kernel32", 1}, {"timeGetTime", "winmm", 1}, {"NtQuerySystemTime", "ntdll", 0},
	{"NtQueryPerformanceCounter", "ntdll", 0},
};

static void (*choose(const char *path, const char *call))(long)
{
	if (!strcmp(path, "empty")) {
		stores = nothing;
		return spin_stores;
	}
	if (!strcmp(path, "cpu"))
		return !strcmp(call, "RDTSC") ? rdtsc : !strcmp(call, "LFENCE+RDTSC") ? lfence_rdtsc : !strcmp(call, "RDTSCP") ? rdtscp : NULL;
	if (!strcmp(path, "memory")) {
		page_time = (volatile const ULONG *)(ULONG_PTR)(0x7ffe0000 +
			(!strcmp(call, "SystemTime") ? 0x14 : !strcmp(call, "InterruptTime") ? 0x08 : 0x320));
		return memory;
	}
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(call, functions[i].name)) {
			FARPROC f = GetProcAddress(LoadLibraryA(functions[i].dll), call);
			stores = (stores_t)f;
			returns = (returns_t)f;
			return f ? functions[i].by_return ? spin_returns : spin_stores : NULL;
		}
	return NULL;
}

static double now(void)
{
	static LARGE_INTEGER hz;
	LARGE_INTEGER t;
	if (!hz.QuadPart)
		QueryPerformanceFrequency(&hz);
	QueryPerformanceCounter(&t);
	return t.QuadPart * 1e9 / hz.QuadPart;
}

static int ascending(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;
	return (d > 0) - (d < 0);
}

static double quantile(const double *sorted, int n, int percent) { return sorted[n * percent / 100]; }

/* The CPU's counter says when the second is over, since asking the system could be what it
   looks for. The step that its beginning cut is not counted. */
static int step(const char *call)
{
	enum { most = 100000 };
	static double steps[most];
	double unit = strcmp(call, "TickCount") ? 1e-4 : 1; /* 100 ns; Wine counts milliseconds */
	choose("memory", call);
	double begun = now();
	ULONGLONG first = __builtin_ia32_rdtsc();
	Sleep(100);
	double second = (__builtin_ia32_rdtsc() - first) / (now() - begun) * 1e9;
	ULONG last = *page_time;
	int n = -1;
	for (ULONGLONG end = __builtin_ia32_rdtsc() + (ULONGLONG)second; __builtin_ia32_rdtsc() < end && n < most;) {
		ULONG value = *page_time;
		if (value == last)
			continue;
		if (n >= 0)
			steps[n] = (value - last) * unit;
		n++;
		last = value;
	}
	if (n < 1)
		return 3;
	qsort(steps, n, sizeof *steps, ascending);
	printf("%.3f (%.3f to %.3f), %d steps\n", quantile(steps, n, 50), quantile(steps, n, 25), quantile(steps, n, 75), n);
	return 0;
}

/* Every object is wineserver's. */
static int ask(int ms)
{
	for (double begun = now(); now() - begun < 1e10; Sleep(ms))
		CloseHandle(CreateEventA(NULL, FALSE, FALSE, NULL));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "step"))
		return step(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "ask"))
		return ask(atoi(argv[2]));
	void (*spin)(long) = argc == 3 ? choose(argv[1], argv[2]) : NULL;
	if (!spin)
		return 2;
	long n = 100;
	double spent = 0;
	while (spent < 5e6) {
		n *= 2;
		double begun = now();
		spin(n);
		spent = now() - begun;
	}
	double turns[15];
	for (int i = 0; i < 15; i++) {
		double begun = now();
		spin(n);
		turns[i] = (now() - begun) / n;
	}
	qsort(turns, 15, sizeof *turns, ascending);
	printf("%.3f\n", turns[7]);
	return 0;
}
