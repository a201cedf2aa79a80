package wake

import (
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

var ownWays = []Way{
	{ID: "nanosleep@libc", Call: "nanosleep(2)", open: func() (sleeper, error) {
		at, unused := new(unix.Timespec), new(unix.Timespec)
		return after(func(left int64) error {
			*at = unix.NsecToTimespec(left)
			return interrupted(native.CallIDBuffer(native.LibNanosleep, uintptr(unsafe.Pointer(at)), unsafe.Pointer(unused), 0, 1))
		}), nil
	}},
	{ID: "mach_wait_until@libc", Call: "mach_wait_until(deadline)", open: func() (sleeper, error) {
		numerator, denominator := native.MachTimebase()
		unused := new(uint64)
		return after(func(left int64) error {
			now := native.CallIDBuffer(native.LibMachAbsoluteTime, 0, unsafe.Pointer(unused), 0, 1)
			until := uintptr(int64(now) + left*int64(denominator)/int64(numerator))
			return interrupted(native.CallIDBuffer(native.LibMachWaitUntil, until, unsafe.Pointer(unused), 0, 1))
		}), nil
	}},
}

// interrupted returns the error of a call that a signal ended. No other error is possible.
func interrupted(result int) error {
	if result != 0 {
		return unix.EINTR
	}
	return nil
}
