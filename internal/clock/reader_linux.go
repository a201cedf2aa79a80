package clock

import (
	"syscall"
	"unsafe"
)

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

// clockReader returns the Reader of a call that returns a negative errno as an int, except time(2),
// which returns the time itself.
func clockReader(f format, call nativeCall) *callReader {
	r := newCallReader(f, call, func(result int) error {
		if f != seconds {
			result = int(int32(result))
		}
		if result < 0 {
			return refusal(syscall.Errno(-result))
		}
		return nil
	})
	r.null = f == seconds
	return r
}
