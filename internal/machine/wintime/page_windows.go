package wintime

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A Page is the address of a KUSER_SHARED_DATA.
type Page uintptr

// SharedPage is the address of the page in every process; the others are offsets in it, in bytes
// (ntddk.h of the Windows Driver Kit).
const (
	SharedPage = Page(0x7ffe0000)

	tickCountMultiplier = 0x004 // uint32: milliseconds per tick, times 2^24
	InterruptTime       = 0x008 // KSYSTEM_TIME, 100 ns since boot, including sleep
	SystemTime          = 0x014 // KSYSTEM_TIME, 100 ns since 1601
	TickCount           = 0x320 // KSYSTEM_TIME, ticks of the clock interrupt since boot
	qpcBypassEnabled    = 0x3c6 // uint8, SHARED_GLOBAL_FLAGS_QPC_BYPASS_*
	pageEnd             = 0x3c7
)

// Readable returns why the page cannot be read; nil if it can.
func (p Page) Readable() error {
	readable, err := readable(uintptr(p), pageEnd)
	if err != nil {
		return errors.New("the page that the kernel shares with every process cannot be queried: " + err.Error())
	}
	if !readable {
		return errors.New("this system shares no page with every process")
	}
	return nil
}

// readable reports whether this number of bytes at an address can be read without a fault.
func readable(address, bytes uintptr) (bool, error) {
	information := new(windows.MemoryBasicInformation)
	if err := windows.VirtualQuery(address, information, unsafe.Sizeof(*information)); err != nil {
		return false, err
	}
	const canRead = windows.PAGE_READONLY | windows.PAGE_READWRITE | windows.PAGE_EXECUTE_READ | windows.PAGE_EXECUTE_READWRITE
	return information.State == windows.MEM_COMMIT && information.Protect&canRead != 0 &&
		information.Protect&windows.PAGE_GUARD == 0 &&
		information.BaseAddress+information.RegionSize >= address+bytes, nil
}

// Settles reports whether a KSYSTEM_TIME of the page can be read: its two high parts agree within
// some attempts. A native loop would wait for that forever.
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

// Time returns the KSYSTEM_TIME at an offset. The page must be readable. The writer changes the second high part first
// and the first one last.
func (p Page) Time(offset uintptr) int64 {
	low, high1, high2 := (*uint32)(p.at(offset)), (*uint32)(p.at(offset+4)), (*uint32)(p.at(offset+8))
	for {
		high, value := atomic.LoadUint32(high1), atomic.LoadUint32(low)
		if high == atomic.LoadUint32(high2) {
			return int64(high)<<32 | int64(value)
		}
	}
}

// TicksPerSecond returns the rate of TickCount; 0 if the page does not have it.
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

// A Bypass is how QueryPerformanceCounter reads the CPU counter without the kernel.
type Bypass struct {
	// Enabled: the bypass is on; otherwise every read enters the kernel.
	Enabled bool
	// HypervisorPage: the hypervisor page scales the counter. While that page is not valid, a read
	// enters the kernel although the bypass is on.
	HypervisorPage bool
}

// The flags of ntddk.h, SHARED_GLOBAL_FLAGS_QPC_BYPASS_*.
const (
	bypassEnabled = 0x01
	bypassHVPage  = 0x02
)

// QPCBypass returns the bypass from the page; ok is false if there is no page.
func (p Page) QPCBypass() (bypass Bypass, ok bool) {
	if p.Readable() != nil {
		return Bypass{}, false
	}
	return bypassOf(*(*uint8)(p.at(qpcBypassEnabled))), true
}

// CounterInUserMode reports whether QueryPerformanceCounter reads the counter of the CPU in user mode, by this page
// and, if it goes through that, the hypervisor page; known is false if a page cannot be read.
func (p Page) CounterInUserMode(hypervisor HypervisorPage) (userMode, known bool) {
	bypass, ok := p.QPCBypass()
	if bypass.Enabled && bypass.HypervisorPage {
		return hypervisor.Valid()
	}
	return bypass.Enabled, ok
}

func bypassOf(flags uint8) Bypass {
	return Bypass{Enabled: flags&bypassEnabled != 0, HypervisorPage: flags&bypassHVPage != 0}
}

// at returns the address of an offset in the page, which is outside Go memory and never moves.
func (p Page) at(offset uintptr) unsafe.Pointer {
	address := uintptr(p) + offset
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}
