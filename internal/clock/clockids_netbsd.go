package clock

// clockIDs are the clocks of clock_gettime(2) of NetBSD, with the numbers of its sys/time.h.
var clockIDs = []struct {
	name string
	id   int32
	kind Kind
}{
	{"CLOCK_REALTIME", 0, Wall},
	{"CLOCK_MONOTONIC", 3, Monotonic},
}

// xsysPath: golang.org/x/sys makes system calls here.
const xsysPath = Syscall
