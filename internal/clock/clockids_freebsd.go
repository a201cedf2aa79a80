package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(2) of FreeBSD.
var clockIDs = []clockID{
	{name: "CLOCK_REALTIME", id: unix.CLOCK_REALTIME, kind: Wall},
	{name: "CLOCK_REALTIME_PRECISE", id: unix.CLOCK_REALTIME_PRECISE, kind: Wall},
	{name: "CLOCK_REALTIME_FAST", id: unix.CLOCK_REALTIME_FAST, kind: Wall},
	{name: "CLOCK_MONOTONIC", id: unix.CLOCK_MONOTONIC, kind: Monotonic},
	{name: "CLOCK_MONOTONIC_PRECISE", id: unix.CLOCK_MONOTONIC_PRECISE, kind: Monotonic},
	{name: "CLOCK_MONOTONIC_FAST", id: unix.CLOCK_MONOTONIC_FAST, kind: Monotonic},
	{name: "CLOCK_UPTIME", id: unix.CLOCK_UPTIME, kind: Monotonic},
	{name: "CLOCK_UPTIME_PRECISE", id: unix.CLOCK_UPTIME_PRECISE, kind: Monotonic},
	{name: "CLOCK_UPTIME_FAST", id: unix.CLOCK_UPTIME_FAST, kind: Monotonic},
	{name: "CLOCK_SECOND", id: unix.CLOCK_SECOND, kind: Wall},
	{name: "CLOCK_PROCESS_CPUTIME_ID", id: unix.CLOCK_PROCESS_CPUTIME_ID, kind: CPUTime},
	{name: "CLOCK_THREAD_CPUTIME_ID", id: unix.CLOCK_THREAD_CPUTIME_ID, kind: CPUTime},
}

// xsysPath: golang.org/x/sys makes system calls here. The C library would read the time without
// the kernel.
const xsysPath = Syscall
