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

// derivedFrom are the functions from which libSystem takes the clocks: clock_gettime in gen/clock_gettime.c of Apple's
// Libc. Clocks from gettimeofday have steps of 1 µs.
var derivedFrom = map[string]string{
	"CLOCK_REALTIME":             "gettimeofday",
	"CLOCK_MONOTONIC":            "gettimeofday",
	"CLOCK_MONOTONIC_RAW":        "mach_continuous_time",
	"CLOCK_MONOTONIC_RAW_APPROX": "mach_continuous_approximate_time",
	"CLOCK_UPTIME_RAW":           "mach_absolute_time",
	"CLOCK_UPTIME_RAW_APPROX":    "mach_approximate_time",
	"CLOCK_PROCESS_CPUTIME_ID":   "getrusage",
	"CLOCK_THREAD_CPUTIME_ID":    "thread_selfusage",
}
