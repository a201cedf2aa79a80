package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(2) of FreeBSD.
var clockIDs = []struct {
	name string
	id   int32
	kind Kind
}{
	{"CLOCK_REALTIME", unix.CLOCK_REALTIME, Wall},
	{"CLOCK_REALTIME_PRECISE", unix.CLOCK_REALTIME_PRECISE, Wall},
	{"CLOCK_REALTIME_FAST", unix.CLOCK_REALTIME_FAST, Wall},
	{"CLOCK_MONOTONIC", unix.CLOCK_MONOTONIC, Monotonic},
	{"CLOCK_MONOTONIC_PRECISE", unix.CLOCK_MONOTONIC_PRECISE, Monotonic},
	{"CLOCK_MONOTONIC_FAST", unix.CLOCK_MONOTONIC_FAST, Monotonic},
	{"CLOCK_UPTIME", unix.CLOCK_UPTIME, Monotonic},
	{"CLOCK_UPTIME_PRECISE", unix.CLOCK_UPTIME_PRECISE, Monotonic},
	{"CLOCK_UPTIME_FAST", unix.CLOCK_UPTIME_FAST, Monotonic},
	{"CLOCK_SECOND", unix.CLOCK_SECOND, Wall},
	{"CLOCK_PROCESS_CPUTIME_ID", unix.CLOCK_PROCESS_CPUTIME_ID, CPUTime},
	{"CLOCK_THREAD_CPUTIME_ID", unix.CLOCK_THREAD_CPUTIME_ID, CPUTime},
}

// xsysPath: golang.org/x/sys makes system calls here, past the C library, which would
// read the time without the kernel.
const xsysPath = Syscall
