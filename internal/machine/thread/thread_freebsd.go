//go:build amd64 || arm64 || riscv64

package thread

import (
	"math/bits"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These arguments of cpuset(2), from sys/cpuset.h, select the CPU set of one thread or of the process.
const (
	levelWhich   = 3           // CPU_LEVEL_WHICH
	whichThread  = 1           // CPU_WHICH_TID
	whichProcess = 2           // CPU_WHICH_PID
	itself       = ^uintptr(0) // -1: the caller
)

// A cpuSet is a set of CPUs, with room for all that a kernel has.
type cpuSet [1024 / bits.UintSize]uint

// affinity calls cpuset_getaffinity(2) or cpuset_setaffinity(2) for the set. A kernel refuses a size above its own
// limit, and one below the size of its own sets.
func (s *cpuSet) affinity(call, which uintptr) error {
	errno := unix.ERANGE
	for size := unsafe.Sizeof(*s); size > 0 && errno == unix.ERANGE; size /= 2 {
		_, _, errno = unix.Syscall6(call, levelWhich, which, itself, size, uintptr(unsafe.Pointer(s)), 0)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// prepare pins this thread.
func prepare(cpu int) error {
	if cpu == Any {
		return nil
	}
	var set cpuSet
	if i := cpu / bits.UintSize; i < len(set) {
		set[i] = 1 << (cpu % bits.UintSize)
	}
	return set.affinity(unix.SYS_CPUSET_SETAFFINITY, whichThread)
}

// mainThread is the id of the thread that runs the initialization of the program.
var mainThread = self()

// self returns the id of this thread; thr_self(2).
func self() (id int64) {
	_, _, _ = unix.RawSyscall(unix.SYS_THR_SELF, uintptr(unsafe.Pointer(&id)), 0, 0)
	return id
}

func isMain() bool { return self() == mainThread }

// Current returns the number of the CPU that this thread is pinned to, or Any: before FreeBSD 13.1 no call tells where
// another thread runs.
func Current() int {
	if cpus := cpusOf(whichThread); len(cpus) == 1 {
		return cpus[0]
	}
	return Any
}

// Usable returns the numbers of the CPUs that this process may use, in order.
func Usable() []int { return cpusOf(whichProcess) }

func cpusOf(which uintptr) (cpus []int) {
	var set cpuSet
	if set.affinity(unix.SYS_CPUSET_GETAFFINITY, which) != nil {
		return firstCPUs(runtime.NumCPU())
	}
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, i*bits.UintSize+bits.TrailingZeros(word))
		}
	}
	return cpus
}
