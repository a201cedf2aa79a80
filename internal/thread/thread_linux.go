package thread

import (
	"math/bits"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// kept are the signals that stay open on a measuring thread: those that the
// thread raises itself by a fault, which the kernel would turn into sudden
// death if they were blocked, and 32 to 34, which libc and the Go runtime use
// to speak to one thread.
var kept = []syscall.Signal{
	syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP,
	syscall.SIGABRT, syscall.SIGSYS, 32, 33, 34,
}

// prepare blocks signals on this thread and pins it. The Go runtime gives new
// threads the mask that the process started with, so no other inherits this.
// What comes for the whole process (SIGINT) the kernel hands to another thread.
func prepare(cpu int) error {
	var mask unix.Sigset_t
	for i := range mask.Val {
		mask.Val[i] = ^mask.Val[i]
	}
	for _, signal := range kept {
		bit := uint(signal - 1)
		mask.Val[bit/bits.UintSize] &^= 1 << (bit % bits.UintSize)
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &mask, nil); err != nil {
		return err
	}
	if cpu == Any {
		return nil
	}
	var set unix.CPUSet
	set.Set(cpu)
	return unix.SchedSetaffinity(0, &set)
}

// Yield lets another thread have this CPU; sched_yield(2). It may be called in
// a loop that waits: it is where the Go scheduler can stop the waiting goroutine.
//
//go:noinline
func Yield() {
	_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

// Usable returns the numbers of the CPUs that this process may run on, in
// order; sched_getaffinity(2). Where the kernel has more CPUs than the call's
// set can hold, it is the first runtime.NumCPU numbers.
func Usable() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return firstCPUs(runtime.NumCPU())
	}
	var cpus []int
	for cpu := range len(set) * bits.UintSize {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}
