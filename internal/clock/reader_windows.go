//go:build amd64 || arm64

package clock

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"
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
	if !way.stores {
		return &valueReader{fn: function.Addr(), values: newResultBuffer(1), wraps: way.wraps}, nil
	}
	r := &bufferReader{fn: function.Addr(), failure: way.failure, result: newResultBuffer(1)}
	r.Spin(1)
	if r.err != nil {
		return nil, r.err
	}
	return r, nil
}

type bufferReader struct {
	fn      uintptr
	failure func(fn uintptr, returned int) error
	// result is the buffer of Spin.
	result []int64
	err    error
}

func (r *bufferReader) Spin(n int) {
	r.check(native.CallBuffer(r.fn, unsafe.Pointer(&r.result[0]), 0, n))
	runtime.KeepAlive(r)
}

func (r *bufferReader) Read(ticks []int64) {
	r.check(native.CallBuffer(r.fn, unsafe.Pointer(&ticks[0]), unsafe.Sizeof(ticks[0]), len(ticks)))
}

func (r *bufferReader) check(returned int) {
	r.err = nil
	if r.failure != nil {
		r.err = r.failure(r.fn, returned)
	}
}

func (r *bufferReader) Err() error { return r.err }

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

type valueReader struct {
	fn     uintptr
	values []int64 // the buffer of Spin
	wraps  *wraps  // for 32 bits; otherwise nil
}

func (r *valueReader) Spin(n int) {
	native.CallValue(r.fn, &r.values[0], 0, n)
	runtime.KeepAlive(r)
}

func (r *valueReader) Read(ticks []int64) {
	if r.wraps == nil {
		r.load(ticks)
		return
	}
	r.wraps.read(ticks, r.load, sinceStart)
}

func (r *valueReader) load(ticks []int64) {
	native.CallValue(r.fn, &ticks[0], unsafe.Sizeof(ticks[0]), len(ticks))
}

var started = time.Now()

// sinceStart returns Go's monotonic time in nanoseconds, which counts the wraps. On Windows Go
// reads it from memory.
func sinceStart() int64 { return int64(time.Since(started)) }
