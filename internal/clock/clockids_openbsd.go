package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(2) of OpenBSD.
var clockIDs = []clockID{
	{name: "CLOCK_REALTIME", id: unix.CLOCK_REALTIME, kind: Wall},
	{name: "CLOCK_MONOTONIC", id: unix.CLOCK_MONOTONIC, kind: Monotonic},
	{name: "CLOCK_BOOTTIME", id: unix.CLOCK_BOOTTIME, kind: Monotonic},
	{name: "CLOCK_UPTIME", id: unix.CLOCK_UPTIME, kind: Monotonic},
	{name: "CLOCK_PROCESS_CPUTIME_ID", id: unix.CLOCK_PROCESS_CPUTIME_ID, kind: CPUTime},
	{name: "CLOCK_THREAD_CPUTIME_ID", id: unix.CLOCK_THREAD_CPUTIME_ID, kind: CPUTime},
}

// xsysPath: golang.org/x/sys calls the C library here, as OpenBSD requires.
const xsysPath = Libc
