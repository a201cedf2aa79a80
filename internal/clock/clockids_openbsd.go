package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(2) of OpenBSD.
var clockIDs = []struct {
	name string
	id   int32
	kind Kind
}{
	{"CLOCK_REALTIME", unix.CLOCK_REALTIME, Wall},
	{"CLOCK_MONOTONIC", unix.CLOCK_MONOTONIC, Monotonic},
	{"CLOCK_BOOTTIME", unix.CLOCK_BOOTTIME, Monotonic},
	{"CLOCK_UPTIME", unix.CLOCK_UPTIME, Monotonic},
	{"CLOCK_PROCESS_CPUTIME_ID", unix.CLOCK_PROCESS_CPUTIME_ID, CPUTime},
	{"CLOCK_THREAD_CPUTIME_ID", unix.CLOCK_THREAD_CPUTIME_ID, CPUTime},
}

// xsysPath: golang.org/x/sys calls the C library here, as OpenBSD demands.
const xsysPath = Libc
