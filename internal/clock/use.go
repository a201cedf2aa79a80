package clock

import (
	"cmp"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/machine/thread"
)

// Use opens a clock on its own thread, reads it once, and calls fn with the Reader on that
// thread. The error is why the clock cannot be read; then Use does not call fn.
func Use(c Clock, fn func(Reader)) error {
	var failed error
	err := thread.Run(thread.Any, func() {
		var reader Reader
		if reader, failed = Ready(c); failed == nil {
			fn(reader)
		}
	})
	return cmp.Or(err, failed)
}

// Ready returns a Reader for the calling thread, which has read the clock once.
func Ready(c Clock) (Reader, error) {
	reader, err := c.Open()
	if err == nil {
		reader.Read(make([]int64, 1))
		err = Failure(reader)
	}
	return reader, err
}

// Readable returns why a clock cannot be read; nil if it can.
func Readable(c Clock) error { return Use(c, func(Reader) {}) }

// Failure returns the error of the last read of a Reader; nil if it succeeded.
func Failure(r Reader) error {
	if f, ok := r.(Failer); ok {
		return f.Err()
	}
	return nil
}

// ReadBehind reads once, after all earlier loads of this thread are complete, and returns the
// value; into has room for it. Without the fence the CPU may execute RDTSC or CNTVCT_EL0 before
// an earlier load, and the order of events between CPUs would prove nothing.
func ReadBehind(r Reader, into []int64) int64 {
	native.Fence()
	r.Read(into)
	return into[0]
}
