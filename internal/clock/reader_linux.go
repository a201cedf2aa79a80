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
	words     int     // of one result
	wordBytes uintptr // 8, or 4 where 32-bit calls store words of the width of a C long
	perSecond int64   // units per second of the second word, or of the only one
}

var (
	timespec   = format{2, 8, 1e9}         // timespec(3type)
	timespec32 = format{2, 4, 1e9}         // its older form on 32-bit CPUs
	timeval    = format{2, longBytes, 1e6} // timeval(3type)
	seconds    = format{1, longBytes, 1}   // time_t(3type)
	// rusage is struct rusage of getrusage(2): its user time comes first, and is the value.
	rusage = format{18, longBytes, 1e6}
)

// longBytes is the size of a C long.
const longBytes = unsafe.Sizeof(uintptr(0))

func (f format) bytes() uintptr { return uintptr(f.words) * f.wordBytes }

// at returns the time with the index i in results, in units of perSecond.
func (f format) at(results *int64, i int) int64 {
	time := f.word(results, i*f.words)
	if f.words > 1 {
		time = time*f.perSecond + f.word(results, i*f.words+1)
	}
	return time
}

func (f format) word(results *int64, i int) int64 {
	at := unsafe.Add(unsafe.Pointer(results), uintptr(i)*f.wordBytes)
	if f.wordBytes == 4 {
		return int64(*(*int32)(at))
	}
	return *(*int64)(at)
}

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
	return &callReader{call: call, format: f, results: newResultBuffer(f.words)}
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
	step := r.format.bytes()
	if needed := (len(ticks)*int(step) + wordBytes - 1) / wordBytes; len(r.results) < needed {
		r.results = newResultBuffer(needed)
	}
	r.check(r.call(unsafe.Pointer(&r.results[0]), step, len(ticks)))
	runtime.KeepAlive(r)
	for i := range ticks {
		ticks[i] = r.format.at(&r.results[0], i)
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
