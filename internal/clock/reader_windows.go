//go:build amd64 || arm64

package clock

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/native"
	"golang.org/x/sys/windows"
)

// A way is how a function gives the time, and how it says that it failed.
type way struct {
	// stores is whether the function is given a pointer to 64 bits for the time;
	// otherwise it returns the time.
	stores bool
	// turns is what all Readers of a function share that returns 32 bits; nil where the
	// time that is returned has 64.
	turns *turns
	// failure makes an error of what the function returned; nil of success. Of a
	// function that cannot fail it is nil itself.
	failure func(fn uintptr, returned int) error
}

var (
	stores         = way{stores: true}
	storesBOOL     = way{stores: true, failure: failedBOOL}
	storesNTSTATUS = way{stores: true, failure: failedNTSTATUS}
	returns64      = way{}
)

// returns32 is the way of a function that returns 32 bits, of so many ticks a second. Each
// function has its own.
func returns32(hz float64) way { return way{turns: newTurns(hz)} }

// openFunction finds the function in the system's own copy of the DLL and makes
// the first read.
func openFunction(dll, name string, way way) (Reader, error) {
	function := windows.NewLazySystemDLL(dll).NewProc(name)
	if err := function.Find(); err != nil {
		return nil, fmt.Errorf("this Windows has no %s in %s", name, dll)
	}
	if !way.stores {
		return &valueReader{fn: function.Addr(), values: newPlace(1), turns: way.turns}, nil
	}
	r := &bufferReader{fn: function.Addr(), failure: way.failure, result: newPlace(1)}
	r.Spin(1)
	if r.err != nil {
		return nil, r.err
	}
	return r, nil
}

// A bufferReader reads a clock whose function stores 64 bits.
type bufferReader struct {
	fn      uintptr
	failure func(fn uintptr, returned int) error
	// result is the place where Spin's calls store.
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

// failedBOOL: a BOOL of 0 is a failure, of which the thread's last error tells. The
// scheduler may call Windows between a native loop and a question for it, so the
// function is asked once more, by Go's own door, which keeps the two together.
func failedBOOL(fn uintptr, returned int) error {
	if int32(returned) != 0 {
		return nil
	}
	result := new(int64)
	again, _, err := syscall.SyscallN(fn, uintptr(unsafe.Pointer(result)))
	if int32(again) != 0 || err == 0 {
		return errors.New("the function failed and gave no reason")
	}
	return err
}

// failedNTSTATUS: negative values are errors; ntdef.h, NT_SUCCESS.
func failedNTSTATUS(_ uintptr, returned int) error {
	if status := windows.NTStatus(uint32(returned)); int32(status) < 0 {
		return status
	}
	return nil
}

// A valueReader reads a clock whose function returns the time.
type valueReader struct {
	fn     uintptr
	values []int64 // the place where Spin's results go
	turns  *turns  // of one with 32 bits
}

func (r *valueReader) Spin(n int) {
	native.CallValue(r.fn, &r.values[0], 0, n)
	runtime.KeepAlive(r)
}

func (r *valueReader) Read(ticks []int64) {
	if r.turns == nil {
		r.load(ticks)
		return
	}
	r.turns.read(ticks, r.load, sinceStart)
}

func (r *valueReader) load(ticks []int64) {
	native.CallValue(r.fn, &ticks[0], unsafe.Sizeof(ticks[0]), len(ticks))
}

var started = time.Now()

// sinceStart is Go's monotonic time, which here is read from memory: it counts the turns.
func sinceStart() int64 { return int64(time.Since(started)) }
