package clock

import (
	"cmp"

	"github.com/timebench/timebench/internal/native"
	"github.com/timebench/timebench/internal/thread"
)

// Use opens a clock on a thread of its own, reads it once, and calls fn with the Reader
// on that thread. The error is why the clock cannot be read here; fn is not called then.
func Use(c Clock, fn func(Reader)) error {
	var failed error
	err := thread.Run(thread.Any, func() {
		reader, err := c.Open()
		if err == nil {
			reader.Read(make([]int64, 1))
			err = Failure(reader)
		}
		if failed = err; failed == nil {
			fn(reader)
		}
	})
	return cmp.Or(err, failed)
}

// Readable returns why a clock cannot be read here; nil where it can.
func Readable(c Clock) error { return Use(c, func(Reader) {}) }

// Failure returns why the last read of a Reader failed; nil where it did not.
func Failure(r Reader) error {
	if f, ok := r.(Failer); ok {
		return f.Err()
	}
	return nil
}

// ReadBehind reads once, behind every load that this thread has made, and returns the
// value; into has room for it. A bare RDTSC or CNTVCT_EL0 may be read before a load that
// stands before it, and then an order of events between CPUs proves nothing.
func ReadBehind(r Reader, into []int64) int64 {
	native.Fence()
	r.Read(into)
	return into[0]
}
