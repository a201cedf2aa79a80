//go:build linux || windows || darwin

package clock

import (
	"runtime"
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

func (f format) bytes() uintptr { return uintptr(f.words) * f.wordBytes }

// at returns the time with the index i in results, in units of perSecond.
func (f format) at(results *int64, i int) int64 {
	time := f.word(results, i*f.words)
	if f.words > 1 {
		const low = 1<<32 - 1 // of a word; the rest may be padding
		time = time*f.perSecond + f.word(results, i*f.words+1)&low
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
	// failure returns the error of a call, by its result. It is nil for a call that cannot fail.
	failure func(result int) error
	// null: Spin passes NULL, as programs usually call time(2).
	null bool
	// results is the buffer of the calls: all results of Read, or the last one of Spin.
	results []int64
	err     error
}

func newCallReader(f format, call nativeCall, failure func(result int) error) *callReader {
	return &callReader{call: call, format: f, failure: failure, results: newResultBuffer(f.words)}
}

// opened makes the first read, which fails if the clock is not available.
func opened(r *callReader) (Reader, error) {
	r.Spin(1)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r, nil
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

func (r *callReader) check(result int) {
	r.err = nil
	if r.failure != nil {
		r.err = r.failure(result)
	}
}

func (r *callReader) Err() error { return r.err }
