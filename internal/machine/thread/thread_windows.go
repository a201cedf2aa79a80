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

// A groupAffinity is GROUP_AFFINITY: CPUs of a processor group.
type groupAffinity struct {
	mask     uintptr
	group    uint16
	reserved [3]uint16
}

// Groups returns the number of processor groups. Windows divides machines with more than 64 CPUs
// into groups; a thread runs in one of them.
func Groups() int {
	count, _, _ := getActiveProcessorGroupCount.Call()
	return max(int(uint16(count)), 1)
}

func sizes() []int {
	all := make([]int, Groups())
	for group := range all {
		all[group] = int(windows.GetActiveProcessorCount(uint16(group)))
	}
	return all
}

// place returns the group and the mask of the CPU with that number.
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

// numbers returns the numbers of the CPUs in the mask of a group.
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
	ok, _, err := setThreadGroupAffinity.Call(uintptr(windows.CurrentThread()), uintptr(unsafe.Pointer(next)),
		uintptr(unsafe.Pointer(before)))
	if ok == 0 {
		return groupAffinity{}, err
	}
	return *before, nil
}

// isMain returns false: on this system nothing that prepare sets outlives the work.
func isMain() bool { return false }

// Yield gives this CPU to another thread; SwitchToThread.
func Yield() { _, _, _ = switchToThread.Call() }

// Sleep stops this goroutine for the span. Go uses a high-resolution timer if Windows has one, and
// otherwise wakes at the next tick of the system timer.
func Sleep(span time.Duration) { time.Sleep(span) }

// Move moves this thread to the CPU, and lets it run on all usable CPUs of that group.
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

func groupMask(n int) uintptr { return ^uintptr(0) >> (bits.UintSize - n) }

// Usable returns the numbers of the CPUs that this process may use, in order: all CPUs of the
// machine, unless the process is confined to some CPUs of its group.
func Usable() []int {
	sizes := sizes()
	mask, system := new(uintptr), new(uintptr)
	known, _, _ := getProcessAffinityMask.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(mask)),
		uintptr(unsafe.Pointer(system)))
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

func onlyGroup(sizes []int) (group int, ok bool) {
	if len(sizes) == 1 {
		return 0, true
	}
	groups, count := new([64]uint16), new(uint16)
	*count = uint16(len(groups))
	done, _, _ := getProcessGroupAffinity.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(count)),
		uintptr(unsafe.Pointer(groups)))
	return int(groups[0]), done != 0 && *count == 1
}
