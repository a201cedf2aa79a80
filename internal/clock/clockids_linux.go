package clock

import "golang.org/x/sys/unix"

// clockIDs are the clocks of clock_gettime(2).
var clockIDs = []struct {
	name string
	id   int32
	kind Kind
}{
	{"CLOCK_REALTIME", unix.CLOCK_REALTIME, Wall},
	{"CLOCK_MONOTONIC", unix.CLOCK_MONOTONIC, Monotonic},
	{"CLOCK_MONOTONIC_RAW", unix.CLOCK_MONOTONIC_RAW, Monotonic},
	{"CLOCK_REALTIME_COARSE", unix.CLOCK_REALTIME_COARSE, Wall},
	{"CLOCK_MONOTONIC_COARSE", unix.CLOCK_MONOTONIC_COARSE, Monotonic},
	{"CLOCK_BOOTTIME", unix.CLOCK_BOOTTIME, Monotonic},
	{"CLOCK_TAI", unix.CLOCK_TAI, Wall},
	{"CLOCK_PROCESS_CPUTIME_ID", unix.CLOCK_PROCESS_CPUTIME_ID, CPUTime},
	{"CLOCK_THREAD_CPUTIME_ID", unix.CLOCK_THREAD_CPUTIME_ID, CPUTime},
}
