package thread

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Scheduling policies of include/uapi/linux/sched.h; sched(7).
const (
	schedOther       = 0
	schedResetOnFork = 0x40000000 // a flag in the same value
)

// realTimePolicies are those under which a thread keeps its CPU until it gives it up.
var realTimePolicies = map[uintptr]string{1: "SCHED_FIFO", 2: "SCHED_RR", 6: "SCHED_DEADLINE"}

// RealTimePolicy returns the name of the scheduling policy of this thread if it is a real-time
// one, as chrt(1) sets it; otherwise "". sched_getscheduler(2).
func RealTimePolicy() string {
	policy, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
	if errno != 0 {
		return ""
	}
	return realTimePolicies[policy&^schedResetOnFork]
}

// ordinary sets the ordinary scheduling policy for this thread, which needs no privilege
// (sched(7)); sched_setscheduler(2).
func ordinary() error {
	if RealTimePolicy() == "" {
		return nil
	}
	priority := new(int32) // struct sched_param: 0 for SCHED_OTHER
	_, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, schedOther, uintptr(unsafe.Pointer(priority)))
	if errno != 0 {
		return errno
	}
	return nil
}

// Urgent has this thread run before all threads of the ordinary policy, where the system allows that (CAP_SYS_NICE), until
// end is called. Nothing else runs on its CPU meanwhile, so it is for milliseconds.
func Urgent() (end func()) {
	const fifo = 1
	priority := new(int32)
	*priority = 1
	if RealTimePolicy() != "" {
		return func() {}
	}
	_, _, _ = unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, fifo|schedResetOnFork, uintptr(unsafe.Pointer(priority)))
	return func() { _ = ordinary() }
}
