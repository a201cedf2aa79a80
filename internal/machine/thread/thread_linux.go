package thread

import (
	"math/bits"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// kept are the signals that are not blocked on a measuring thread: those that the thread itself
// raises by a fault, because the kernel kills a process that blocks them, and 32 to 34, which libc
// and the Go runtime send to single threads.
var kept = []syscall.Signal{
	syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP,
	syscall.SIGABRT, syscall.SIGSYS, 32, 33, 34,
}

// prepare blocks signals on this thread and pins it. The Go runtime gives new threads the original
// mask of the process, so no other thread inherits this one. The kernel delivers signals for the
// process (SIGINT) to another thread.
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
	var set cpuSet
	set.add(cpu)
	return setAffinity(&set)
}

// A cpuSet is a set of CPUs. It has room for the CPUs of every kernel (NR_CPUS), and unix.CPUSet for 1024: a machine of
// more, or whose firmware announces more, returns EINVAL for that (sched_getaffinity(2)).
type cpuSet [8192 / bits.UintSize]uint

// add adds a CPU, if a kernel can have it.
func (s *cpuSet) add(cpu int) {
	if i := cpu / bits.UintSize; i < len(s) {
		s[i] |= 1 << (cpu % bits.UintSize)
	}
}

func (s *cpuSet) cpus() []int {
	var cpus []int
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, i*bits.UintSize+bits.TrailingZeros(word))
		}
	}
	return cpus
}

// affinity returns the CPUs of this thread; sched_getaffinity(2).
func affinity() (set cpuSet, err error) {
	if _, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set))); errno != 0 {
		return set, errno
	}
	return set, nil
}

// setAffinity sets the CPUs of this thread; sched_setaffinity(2). Unlike unix.SchedSetaffinity it is
// a system call that may block: a thread that is moved to a CPU on which it gets no time stays in
// the call, and a garbage collection must not wait for it.
func setAffinity(set *cpuSet) error {
	if _, _, errno := syscall.Syscall(unix.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(*set),
		uintptr(unsafe.Pointer(set))); errno != 0 {
		return errno
	}
	return nil
}

func isMain() bool { return unix.Gettid() == unix.Getpid() }

// Yield gives this CPU to another thread; sched_yield(2). In a loop that waits, it is the point
// where the Go scheduler can stop the goroutine.
//
//go:noinline
func Yield() {
	_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

// Sleep stops this thread for the span with nanosleep(2), without the Go scheduler. Waking a goroutine from time.Sleep
// takes two or three threads, which would take CPU time from the measurement.
func Sleep(span time.Duration) {
	request := unix.NsecToTimespec(int64(span))
	errno := unix.EINTR // by a signal, such as that of Go's scheduler: then request has the rest
	for errno == unix.EINTR {
		_, _, errno = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&request)),
			uintptr(unsafe.Pointer(&request)), 0)
	}
}

// Move moves this unpinned thread to the CPU, without pinning it there. The kernel may start two new threads on one CPU
// while another is idle, and takes milliseconds to balance them.
func Move(cpu int) error {
	all, err := affinity()
	if err != nil {
		return err
	}
	var one cpuSet
	one.add(cpu)
	if err := setAffinity(&one); err != nil {
		return err
	}
	return setAffinity(&all)
}

// Current returns the number of the CPU that this thread runs on, or Any; getcpu(2).
func Current() int {
	var cpu uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return Any
	}
	return int(cpu)
}

// Usable returns the numbers of the CPUs that this process may use, in order. If the call is forbidden, it returns the
// first runtime.NumCPU numbers.
func Usable() []int {
	set, err := affinity()
	if err != nil {
		return firstCPUs(runtime.NumCPU())
	}
	return set.cpus()
}

// Isolated returns the numbers of the CPUs of isolcpus= on the kernel command line. No thread is on one
// of them unless it is pinned there.
func Isolated() []int { return isolatedIn("/sys/devices/system/cpu/isolated") }

func isolatedIn(file string) []int {
	list, err := os.ReadFile(file)
	if err != nil {
		debuglog.Printf("isolated CPUs", "not known: %v", err)
		return nil
	}
	cpus, _ := ParseCPUs(strings.TrimSpace(string(list))) // an empty list is an error
	return cpus
}
