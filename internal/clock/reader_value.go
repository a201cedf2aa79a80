//go:build (windows || darwin) && (amd64 || arm64)

package clock

import (
	"runtime"
	"time"
	"unsafe"
)

// A valueReader reads a clock whose function returns the time, and cannot fail.
type valueReader struct {
	// call calls the function n times and stores each result at values, which it advances by step bytes.
	call   func(values *int64, step uintptr, n int)
	values []int64 // the buffer of Spin
	wraps  *wraps  // for 32 bits; otherwise nil
}

func newValueReader(w *wraps, call func(values *int64, step uintptr, n int)) Reader {
	return &valueReader{call, newResultBuffer(1), w}
}

func (r *valueReader) Spin(n int) {
	r.call(&r.values[0], 0, n)
	runtime.KeepAlive(r)
}

func (r *valueReader) Read(ticks []int64) {
	if r.wraps == nil {
		r.load(ticks)
		return
	}
	r.wraps.read(ticks, r.load, sinceStart)
}

func (r *valueReader) load(ticks []int64) { r.call(&ticks[0], unsafe.Sizeof(ticks[0]), len(ticks)) }

var started = time.Now()

// sinceStart returns Go's monotonic time in nanoseconds, which counts the wraps. On Windows Go
// reads it from memory.
func sinceStart() int64 { return int64(time.Since(started)) }
