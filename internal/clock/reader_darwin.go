//go:build amd64 || arm64

package clock

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
)

// A storingReader reads a clock whose function stores a timespec or a timeval: the seconds in 64 bits, and the rest in
// 64 or 32 bits.
type storingReader struct {
	call      func(buffer unsafe.Pointer, step uintptr, n int) int
	perSecond int64
	// again calls the function once more, and returns the errno: the loop does not see it.
	again   func() error
	results []int64 // two for each read
	err     error
}

const storedWords = 2

func openStoring(perSecond int64, call func(unsafe.Pointer, uintptr, int) int, again func() error) (Reader, error) {
	r := &storingReader{call: call, perSecond: perSecond, again: again, results: newResultBuffer(storedWords)}
	r.Spin(1)
	if r.err != nil {
		return nil, r.err
	}
	return r, nil
}

func (r *storingReader) Spin(n int) {
	r.check(r.call(unsafe.Pointer(&r.results[0]), 0, n))
	runtime.KeepAlive(r)
}

func (r *storingReader) Read(ticks []int64) {
	if len(r.results) < len(ticks)*storedWords {
		r.results = newResultBuffer(len(ticks) * storedWords)
	}
	r.check(r.call(unsafe.Pointer(&r.results[0]), storedWords*wordBytes, len(ticks)))
	runtime.KeepAlive(r)
	for i := range ticks {
		rest := int64(int32(r.results[storedWords*i+1])) //nolint:gosec // below 10^9; the other half may be padding
		ticks[i] = r.results[storedWords*i]*r.perSecond + rest
	}
}

func (r *storingReader) check(returned int) {
	r.err = nil
	if int32(returned) == 0 { //nolint:gosec // a C int
		return
	}
	if r.err = refusal(r.again()); r.err == nil {
		r.err = errors.New("the function failed without a reason")
	}
}

func (r *storingReader) Err() error { return r.err }

// A valueReader reads a clock whose function returns the time, and cannot fail.
type valueReader struct {
	fn, id uintptr
	values []int64 // the buffer of Spin
}

func newValueReader(fn, id uintptr) Reader {
	return &valueReader{fn: fn, id: id, values: newResultBuffer(1)}
}

func (r *valueReader) Spin(n int) {
	native.CallIDValue(r.fn, r.id, &r.values[0], 0, n)
	runtime.KeepAlive(r)
}

func (r *valueReader) Read(ticks []int64) {
	native.CallIDValue(r.fn, r.id, &ticks[0], unsafe.Sizeof(ticks[0]), len(ticks))
}
