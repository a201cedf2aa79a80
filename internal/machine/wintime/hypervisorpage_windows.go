package wintime

import (
	"sync/atomic"
	"unsafe"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/windows"
)

// A HypervisorPage is the address of the page by which Windows scales the CPU counter: the
// reference TSC page of the Hyper-V specification. Current versions of Windows have one also
// without a hypervisor.
type HypervisorPage uintptr

// QueryHypervisorPage returns the page of this process; 0 if Windows reports none.
func QueryHypervisorPage() HypervisorPage { return hypervisorPageBy(windows.NtQuerySystemInformation) }

func hypervisorPageBy(query func(class int32, into unsafe.Pointer, bytes uint32,
	returned *uint32) error) HypervisorPage {
	const class = 0xc5 // SystemHypervisorSharedPageInformation, since Windows 10 version 1803
	// On the heap: the stack may move between taking an address and the call.
	address, returned := new(uintptr), new(uint32)
	err := query(class, unsafe.Pointer(address), uint32(unsafe.Sizeof(*address)), returned)
	// An earlier build does not have the class, or has another one under this number.
	if err != nil || uintptr(*returned) != unsafe.Sizeof(*address) {
		debuglog.Printf("wintime", "SystemHypervisorSharedPageInformation: %v, %d bytes; not used", err, *returned)
		return 0
	}
	return HypervisorPage(*address)
}

// Valid reports whether the page is valid now; known is false if it cannot be read. It is not
// valid while its first 32 bits are 0. QueryPerformanceCounter then makes a system call.
//
// The read is safe: Windows maps the page for the life of the process (ntdll keeps its address
// from the start), VirtualQuery has found it readable, and an aligned load stays in one page.
func (p HypervisorPage) Valid() (valid, known bool) {
	const pageBytes = 4096
	if p%pageBytes != 0 {
		return false, false
	}
	if readable, err := readable(uintptr(p), pageBytes); err != nil || !readable {
		debuglog.Printf("wintime", "the hypervisor page at %#x cannot be read: %v", uintptr(p), err)
		return false, false
	}
	return atomic.LoadUint32((*uint32)(Page(p).at(0))) != 0, true
}
