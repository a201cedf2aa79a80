//go:build amd64 || arm64

package clock

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/windows"
)

// A way is how a function returns the time, and how it reports a failure.
type way struct {
	// stores: the function stores the time, of 64 bits, through a pointer; otherwise it
	// returns the time.
	stores bool
	// wraps is shared by all Readers of a function that returns 32 bits; nil for 64 bits.
	wraps *wraps
	// failure returns the error for the returned value; nil if it means success. It is nil for
	// a function that cannot fail.
	failure func(fn uintptr, returned int) error
}

var (
	stores         = way{stores: true}
	storesBOOL     = way{stores: true, failure: failedBOOL}
	storesNTSTATUS = way{stores: true, failure: failedNTSTATUS}
	returns64      = way{}
)

// returns32 returns the way of a function that returns 32 bits, in ticks of the rate hz. Each
// function has its own.
func returns32(hz float64) way { return way{wraps: newWraps(hz)} }

// openFunction finds the function in the system's copy of the DLL, and makes the first read.
func openFunction(dll, name string, way way) (Reader, error) {
	function := windows.NewLazySystemDLL(dll).NewProc(name)
	if err := function.Find(); err != nil {
		return nil, fmt.Errorf("this Windows has no %s in %s", name, dll)
	}
	fn := function.Addr()
	if !way.stores {
		return newValueReader(way.wraps, func(values *int64, step uintptr, n int) {
			native.CallValue(fn, values, step, n)
		}), nil
	}
	return opened(storing(fn, way))
}

// storing returns a Reader of a function that stores a time of 64 bits.
func storing(fn uintptr, way way) *callReader {
	call := func(buffer unsafe.Pointer, step uintptr, n int) int { return native.CallBuffer(fn, buffer, step, n) }
	var failure func(result int) error
	if way.failure != nil {
		failure = func(result int) error { return way.failure(fn, result) }
	}
	return newCallReader(format{1, wordBytes, 1}, call, failure)
}

// failedBOOL: a BOOL of 0 is a failure, and the last error of the thread is its reason. The Go
// scheduler may call Windows after a native loop and overwrite it. So failedBOOL calls the
// function again through syscall, which reads the last error at once.
func failedBOOL(fn uintptr, returned int) error {
	if int32(returned) != 0 {
		return nil
	}
	result := new(int64)
	again, _, err := syscall.SyscallN(fn, uintptr(unsafe.Pointer(result)))
	if int32(again) != 0 || err == 0 {
		return errors.New("the function failed without a reason")
	}
	return err
}

// failedNTSTATUS: negative values are errors; NT_SUCCESS in ntdef.h.
func failedNTSTATUS(_ uintptr, returned int) error {
	if status := windows.NTStatus(uint32(returned)); int32(status) < 0 {
		return status
	}
	return nil
}
