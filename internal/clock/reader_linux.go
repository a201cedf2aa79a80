//go:build amd64 || arm64

package clock

import (
	"runtime"
	"syscall"
	"unsafe"
)

// A nativeCall makes one call n times with a pointer to its result. It advances the pointer by
// step bytes after each call, and returns the result of the last call.
type nativeCall func(buffer unsafe.Pointer, step uintptr, n int) int

// A format is the memory layout of a time.
type format struct {
	words     int   // 64-bit words of one result
	perSecond int64 // units per second of the last word
}

var (
	timespec = format{words: 2, perSecond: 1e9} // timespec(3type)
	timeval  = format{words: 2, perSecond: 1e6} // timeval(3type)
	seconds  = format{words: 1, perSecond: 1}   // time_t(3type)
)

// A callReader reads a clock with a native call that stores its result through a pointer.
type callReader struct {
	call   nativeCall
	format format
	// null: Spin passes NULL, as programs usually call time(2).
	null bool
	// results is the buffer of the calls: all results of Read, or the last one of Spin.
	results []int64
	err     error
}

func clockReader(f format, call nativeCall) *callReader {
	return &callReader{call: call, format: f, results: newPlace(f.words)}
}

func timeReader(call nativeCall) *callReader {
	r := clockReader(seconds, call)
	r.null = true
	return r
}

func (r *callReader) Spin(n int) {
	var buffer unsafe.Pointer
	if !r.null {
		buffer = unsafe.Pointer(&r.results[0])
	}
	r.check(r.call(buffer, 0, n))
	runtime.KeepAlive(r)
}

func (r *callReader) Read(ticks []int64) {
	words := r.format.words
	if len(r.results) < len(ticks)*words {
		r.results = newPlace(len(ticks) * words)
	}
	step := uintptr(words) * unsafe.Sizeof(r.results[0])
	r.check(r.call(unsafe.Pointer(&r.results[0]), step, len(ticks)))
	runtime.KeepAlive(r)
	for i := range ticks {
		ticks[i] = r.results[i*words]
		if words == 2 {
			ticks[i] = ticks[i]*r.format.perSecond + r.results[i*words+1]
		}
	}
}

// check stores the error of a call. The calls return a negative errno as an int, except time(2),
// which returns the time itself.
func (r *callReader) check(result int) {
	r.err = nil
	if r.format != seconds {
		result = int(int32(result))
	}
	if result < 0 {
		r.err = refusal(syscall.Errno(-result))
	}
}

func (r *callReader) Err() error { return r.err }
