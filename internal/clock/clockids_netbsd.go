package clock

// clockIDs are the clocks of clock_gettime(2) of NetBSD, with the numbers in its sys/time.h.
var clockIDs = []clockID{
	{name: "CLOCK_REALTIME", id: 0, kind: Wall},
	{name: "CLOCK_MONOTONIC", id: 3, kind: Monotonic},
	{name: "CLOCK_PROCESS_CPUTIME_ID", id: 0x40000000, kind: CPUTime},
	{name: "CLOCK_THREAD_CPUTIME_ID", id: 0x20000000, kind: CPUTime},
}

// xsysPath: golang.org/x/sys makes system calls here.
const xsysPath = Syscall
