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

// realTimePolicies are the policies under which a thread keeps its CPU until it gives it up.
var realTimePolicies = map[uintptr]string{1: "SCHED_FIFO", 2: "SCHED_RR", 6: "SCHED_DEADLINE"}

// RealTimePolicy returns the name of this thread's scheduling policy if it is real-time, as chrt(1) sets it; otherwise
// "".
func RealTimePolicy() string { return realTimePolicies[policy()&^schedResetOnFork] }

// policy returns the scheduling policy of this thread and its flag; sched_getscheduler(2).
func policy() uintptr {
	policy, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
	if errno != 0 {
		return schedOther
	}
	return policy
}

// setPolicy sets the scheduling policy of this thread; sched_setscheduler(2). The priority is 0 unless the policy is
// real-time.
func setPolicy(policy uintptr, priority int32) error {
	parameters := &priority // struct sched_param
	if _, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, policy,
		uintptr(unsafe.Pointer(parameters))); errno != 0 {
		return errno
	}
	return nil
}

// ordinary sets the ordinary scheduling policy for this thread, which needs no privilege if the flag stays (sched(7)).
func ordinary() error {
	if RealTimePolicy() == "" {
		return nil
	}
	return setPolicy(schedOther|policy()&schedResetOnFork, 0)
}

// SetIdlePolicy has this thread run only while its CPU has nothing else to do (SCHED_IDLE), for the rest of its life.
func SetIdlePolicy() error {
	const idle = 5
	return setPolicy(idle, 0)
}

// Urgent has this thread run before all threads of the ordinary policy, where the system allows that (CAP_SYS_NICE or
// RLIMIT_RTPRIO), until end is called. Nothing else runs on its CPU meanwhile, so it is for milliseconds. Threads that
// Go starts meanwhile are not urgent: Go does not start them from a locked thread.
func Urgent() (end func()) {
	const fifo = 1
	before := policy()
	if RealTimePolicy() != "" || setPolicy(fifo|before&schedResetOnFork, 1) != nil {
		return func() {}
	}
	return func() { _ = setPolicy(before, 0) }
}
