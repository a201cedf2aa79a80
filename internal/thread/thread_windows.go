package thread

import (
	"fmt"
	"math/bits"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32                     = windows.NewLazySystemDLL("kernel32.dll")
	getActiveProcessorGroupCount = kernel32.NewProc("GetActiveProcessorGroupCount")
	getProcessAffinityMask       = kernel32.NewProc("GetProcessAffinityMask")
	getProcessGroupAffinity      = kernel32.NewProc("GetProcessGroupAffinity")
	setThreadGroupAffinity       = kernel32.NewProc("SetThreadGroupAffinity")
	switchToThread               = kernel32.NewProc("SwitchToThread")
	getCurrentProcessorNumberEx  = kernel32.NewProc("GetCurrentProcessorNumberEx")
)

// A groupAffinity is GROUP_AFFINITY: CPUs of one processor group.
type groupAffinity struct {
	mask     uintptr
	group    uint16
	reserved [3]uint16
}

// Groups returns how many processor groups there are. Windows divides machines of
// more than 64 CPUs into groups; a thread runs in one.
func Groups() int {
	count, _, _ := getActiveProcessorGroupCount.Call()
	return max(int(uint16(count)), 1)
}

// sizes are how many CPUs each group has.
func sizes() []int {
	all := make([]int, Groups())
	for group := range all {
		all[group] = int(windows.GetActiveProcessorCount(uint16(group)))
	}
	return all
}

// place is where in the groups the CPU with that number is.
func place(cpu int, sizes []int) (groupAffinity, error) {
	if cpu >= 0 {
		rest := cpu
		for group, size := range sizes {
			if rest < size {
				return groupAffinity{mask: 1 << rest, group: uint16(group)}, nil
			}
			rest -= size
		}
	}
	return groupAffinity{}, fmt.Errorf("there is no CPU %d in %d processor groups", cpu, len(sizes))
}

// numbers are the numbers of the CPUs in a group's mask.
func numbers(mask uintptr, group int, sizes []int) []int {
	first := 0
	for _, size := range sizes[:min(group, len(sizes))] {
		first += size
	}
	var cpus []int
	for ; mask != 0; mask &= mask - 1 {
		cpus = append(cpus, first+bits.TrailingZeros64(uint64(mask)))
	}
	return cpus
}

// prepare pins this thread. The affinity ends with the thread.
func prepare(cpu int) error {
	if cpu == Any {
		return nil
	}
	_, err := confine(cpu)
	return err
}

// confine has this thread run on one CPU only, and returns where it could run before.
func confine(cpu int) (before groupAffinity, err error) {
	to, err := place(cpu, sizes())
	if err != nil {
		return before, err
	}
	return setAffinity(to)
}

func setAffinity(to groupAffinity) (groupAffinity, error) {
	// On the heap: the stack may move between taking an address and the call.
	next, before := &to, new(groupAffinity)
	ok, _, err := setThreadGroupAffinity.Call(uintptr(windows.CurrentThread()), uintptr(unsafe.Pointer(next)), uintptr(unsafe.Pointer(before)))
	if ok == 0 {
		return groupAffinity{}, err
	}
	return *before, nil
}

// isMain is not asked: nothing that a thread was given outlives its work here.
func isMain() bool { return false }

// Yield lets another thread have this CPU; SwitchToThread.
func Yield() { _, _, _ = switchToThread.Call() }

// Sleep stops this goroutine for the span. Go sleeps by a timer of high resolution
// where Windows has one, and to the system timer's tick where not.
func Sleep(span time.Duration) { time.Sleep(span) }

// Move puts this thread on the given CPU and leaves it free to run on all CPUs of
// that group that the process may use.
func Move(cpu int) error {
	before, err := confine(cpu)
	if err != nil {
		return err
	}
	to, err := place(cpu, sizes())
	if err != nil {
		return err
	}
	if to.group != before.group {
		before = groupAffinity{mask: groupMask(sizes()[to.group]), group: to.group}
	}
	_, err = setAffinity(before)
	return err
}

// Current returns the number of the CPU that this thread runs on; GetCurrentProcessorNumberEx.
func Current() int {
	// A PROCESSOR_NUMBER of winnt.h: the group, the number within it, and a byte more.
	at := new(struct {
		group            uint16
		number, reserved uint8
	})
	_, _, _ = getCurrentProcessorNumberEx.Call(uintptr(unsafe.Pointer(at)))
	return numbers(1<<at.number, int(at.group), sizes())[0]
}

// groupMask is the mask of a group's first n CPUs.
func groupMask(n int) uintptr { return ^uintptr(0) >> (bits.UintSize - n) }

// Usable returns the numbers of the CPUs that this process may run on, in order: all
// of the machine's, unless the process was confined to some of its group's.
func Usable() []int {
	sizes := sizes()
	mask, system := new(uintptr), new(uintptr)
	known, _, _ := getProcessAffinityMask.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(mask)), uintptr(unsafe.Pointer(system)))
	// Both masks are 0 for a process with threads in several groups.
	if known != 0 && *mask != 0 && (len(sizes) == 1 || *mask != *system) {
		if group, ok := onlyGroup(sizes); ok {
			return numbers(*mask, group, sizes)
		}
	}
	var all []int
	for group, size := range sizes {
		all = append(all, numbers(groupMask(size), group, sizes)...)
	}
	return all
}

// onlyGroup returns the group that all of the process's threads are in.
func onlyGroup(sizes []int) (group int, ok bool) {
	if len(sizes) == 1 {
		return 0, true
	}
	groups, count := new([64]uint16), new(uint16)
	*count = uint16(len(groups))
	done, _, _ := getProcessGroupAffinity.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(count)), uintptr(unsafe.Pointer(groups)))
	return int(groups[0]), done != 0 && *count == 1
}
