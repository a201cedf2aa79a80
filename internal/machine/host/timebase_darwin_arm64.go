package host

import "unsafe"

// userTimebaseAddress is _COMM_PAGE_USER_TIMEBASE in osfmk/arm/cpu_capabilities.h of xnu. mach_absolute_time reads this
// byte of the page that the kernel shares with every process (the commpage) each time. It is 0 if user mode may not
// read the counter: then each call enters the kernel.
const userTimebaseAddress = 0x0000000FFFFFC000 + 0x90

// userTimebase returns whether mach_absolute_time reads the counter in user mode.
func userTimebase() *bool {
	address := uintptr(userTimebaseAddress)
	userMode := *(*uint8)(*(*unsafe.Pointer)(unsafe.Pointer(&address))) != 0
	return &userMode
}
