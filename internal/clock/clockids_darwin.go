package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(3) of macOS.
var clockIDs = []struct {
	name string
	id   int32
	kind Kind
}{
	{"CLOCK_REALTIME", unix.CLOCK_REALTIME, Wall},
	{"CLOCK_MONOTONIC", unix.CLOCK_MONOTONIC, Monotonic},
	{"CLOCK_MONOTONIC_RAW", unix.CLOCK_MONOTONIC_RAW, Monotonic},
	{"CLOCK_MONOTONIC_RAW_APPROX", unix.CLOCK_MONOTONIC_RAW_APPROX, Monotonic},
	{"CLOCK_UPTIME_RAW", unix.CLOCK_UPTIME_RAW, Monotonic},
	{"CLOCK_UPTIME_RAW_APPROX", unix.CLOCK_UPTIME_RAW_APPROX, Monotonic},
	{"CLOCK_PROCESS_CPUTIME_ID", unix.CLOCK_PROCESS_CPUTIME_ID, CPUTime},
	{"CLOCK_THREAD_CPUTIME_ID", unix.CLOCK_THREAD_CPUTIME_ID, CPUTime},
}

// xsysPath: golang.org/x/sys calls libSystem here.
const xsysPath = Libc
