package wintime

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Page is the address of a KUSER_SHARED_DATA.
type Page uintptr

// SharedPage is where it lies in every process, and what follows are the places in it, in
// bytes; ntddk.h of the Windows Driver Kit.
const (
	SharedPage = Page(0x7ffe0000)

	tickCountMultiplier = 0x004 // uint32: milliseconds a tick, times 2^24
	InterruptTime       = 0x008 // KSYSTEM_TIME, 100 ns since the start, sleep included
	SystemTime          = 0x014 // KSYSTEM_TIME, 100 ns since 1601
	TickCount           = 0x320 // KSYSTEM_TIME, ticks of the clock interrupt since the start
	qpcBias             = 0x3b8 // uint64
	qpcBypassEnabled    = 0x3c6 // uint8, SHARED_GLOBAL_FLAGS_QPC_BYPASS_*
	qpcShift            = 0x3c7 // uint8
	pageEnd             = 0x3c8
)

// Readable says why the page cannot be read here; nil where it can.
func (p Page) Readable() error {
	information := new(windows.MemoryBasicInformation)
	if err := windows.VirtualQuery(uintptr(p), information, unsafe.Sizeof(*information)); err != nil {
		return errors.New("the page that the kernel shares with every process cannot be looked up: " + err.Error())
	}
	const canRead = windows.PAGE_READONLY | windows.PAGE_READWRITE | windows.PAGE_EXECUTE_READ | windows.PAGE_EXECUTE_READWRITE
	if information.State != windows.MEM_COMMIT || information.Protect&canRead == 0 || information.Protect&windows.PAGE_GUARD != 0 ||
		information.BaseAddress+information.RegionSize < uintptr(p)+pageEnd {
		return errors.New("this system shares no page with every process")
	}
	return nil
}

// Settles reports whether a KSYSTEM_TIME of the page can be read: whether its two high
// parts agree within some tries. A native loop waits for that without an end.
func (p Page) Settles(offset uintptr) bool {
	const tries = 1000
	high1, high2 := (*uint32)(p.at(offset+4)), (*uint32)(p.at(offset+8))
	for range tries {
		if atomic.LoadUint32(high1) == atomic.LoadUint32(high2) {
			return true
		}
	}
	return false
}

// TicksPerSecond is how often the value of TickCount goes up in a second; 0 where the
// page does not tell.
func (p Page) TicksPerSecond() float64 {
	if p.Readable() != nil {
		return 0
	}
	multiplier := atomic.LoadUint32((*uint32)(p.at(tickCountMultiplier)))
	if multiplier == 0 {
		return 0
	}
	return 1000 * (1 << 24) / float64(multiplier)
}

// A Bypass is how QueryPerformanceCounter reads its counter without the kernel. Its
// value is (counter + Bias) >> Shift, where the counter is the CPU's, or, under a
// hypervisor that shares a page of its own, the CPU's scaled by that page.
type Bypass struct {
	// Enabled says that it does so at all; otherwise every read enters the kernel.
	Enabled bool
	// HypervisorPage says that the counter is scaled by the hypervisor's page. Where that
	// page is not valid at the moment, a read enters the kernel although Enabled.
	HypervisorPage bool
	Bias           uint64
	Shift          uint8
}

// The flags of ntddk.h, SHARED_GLOBAL_FLAGS_QPC_BYPASS_*.
const (
	bypassEnabled = 0x01
	bypassHVPage  = 0x02
)

// QPCBypass reads the flags from the page. ok is false where there is none.
func (p Page) QPCBypass() (bypass Bypass, ok bool) {
	if p.Readable() != nil {
		return Bypass{}, false
	}
	return bypassOf(*(*uint8)(p.at(qpcBypassEnabled)), *(*uint8)(p.at(qpcShift)), atomic.LoadUint64((*uint64)(p.at(qpcBias)))), true
}

func bypassOf(flags, shift uint8, bias uint64) Bypass {
	return Bypass{Enabled: flags&bypassEnabled != 0, HypervisorPage: flags&bypassHVPage != 0, Bias: bias, Shift: shift}
}

// at is a place in the page, which is no memory of Go's and never moves.
func (p Page) at(offset uintptr) unsafe.Pointer {
	address := uintptr(p) + offset
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}
