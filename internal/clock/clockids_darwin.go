package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(3) of macOS.
var clockIDs = []clockID{
	{name: "CLOCK_REALTIME", id: unix.CLOCK_REALTIME, kind: Wall},
	{name: "CLOCK_MONOTONIC", id: unix.CLOCK_MONOTONIC, kind: Monotonic},
	{name: "CLOCK_MONOTONIC_RAW", id: unix.CLOCK_MONOTONIC_RAW, kind: Monotonic},
	{name: "CLOCK_MONOTONIC_RAW_APPROX", id: unix.CLOCK_MONOTONIC_RAW_APPROX, kind: Monotonic},
	{name: "CLOCK_UPTIME_RAW", id: unix.CLOCK_UPTIME_RAW, kind: Monotonic},
	{name: "CLOCK_UPTIME_RAW_APPROX", id: unix.CLOCK_UPTIME_RAW_APPROX, kind: Monotonic},
	{name: "CLOCK_PROCESS_CPUTIME_ID", id: unix.CLOCK_PROCESS_CPUTIME_ID, kind: CPUTime},
	{name: "CLOCK_THREAD_CPUTIME_ID", id: unix.CLOCK_THREAD_CPUTIME_ID, kind: CPUTime},
}

// xsysPath: golang.org/x/sys calls libSystem here.
const xsysPath = Libc
