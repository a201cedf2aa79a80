package wake

import (
	"slices"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

var systemWays = slices.Concat([]Way{
	{ID: "nanosleep@libc", Call: "nanosleep(2)", open: func(*cleanup) (sleeper, error) {
		at, left := new(unix.Timespec), new(unix.Timespec)
		return after(func(ns int64) error {
			*at = unix.NsecToTimespec(ns)
			if native.CallIDBuffer(native.LibNanosleep, uintptr(unsafe.Pointer(at)), unsafe.Pointer(left), 0, 1) != 0 {
				return unix.EINTR // no other error is possible
			}
			return nil
		}), nil
	}},
	{ID: "mach_wait_until@libc", Call: "mach_wait_until(deadline)", open: func(*cleanup) (sleeper, error) {
		numerator, denominator := native.MachTimebase()
		unused := new(uint64)
		return after(func(ns int64) error {
			now := native.CallIDBuffer(native.LibMachAbsoluteTime, 0, unsafe.Pointer(unused), 0, 1)
			ticks := ns * int64(denominator) / int64(numerator)
			if native.CallIDBuffer(native.LibMachWaitUntil, uintptr(int64(now)+ticks), unsafe.Pointer(unused), 0, 1) != 0 {
				return unix.EINTR // KERN_ABORTED
			}
			return nil
		}), nil
	}},
}, unixWays)
