package thread

import (
	"math/bits"
	"runtime"
	"syscall"
	"time"
	"unsafe"

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

// isMain reports whether this is the thread that the process began with.
func isMain() bool { return unix.Gettid() == unix.Getpid() }

// Yield lets another thread have this CPU; sched_yield(2). It may be called in
// a loop that waits: it is where the Go scheduler can stop the waiting goroutine.
//
//go:noinline
func Yield() {
	_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

// Sleep stops this thread for the span: the kernel's sleep, nanosleep(2), of
// which Go's scheduler is not told. Waking a goroutine from Go's own sleep takes
// two or three threads, which take a CPU from what is measured.
func Sleep(span time.Duration) {
	request := unix.NsecToTimespec(int64(span))
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&request)), 0, 0)
}

// Move puts this thread, which is free to run on every CPU, on the given one and
// leaves it free. The kernel starts new threads where it likes, two on one CPU
// while another is idle, and takes milliseconds to see it.
func Move(cpu int) error {
	var one, all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	return unix.SchedSetaffinity(0, &all)
}

// Current returns the number of the CPU that this thread runs on; getcpu(2).
func Current() int {
	var cpu uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return Any
	}
	return int(cpu)
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
