package native

import (
	"math"
	"unsafe"
)

// Counters returns the instructions that store the time-of-day clock. Its bit 51 is a microsecond (z/Architecture
// Principles of Operation, "Time-of-Day Clock").
func Counters() []Counter {
	hz := func() uint64 { return 4_096_000_000 }
	return []Counter{{"STCKF", true, hz, spinSTCKF, positive(readSTCKF)},
		{"STCK", true, hz, spinSTCK, positive(readSTCK)}}
}

// positive clears the highest bit of the values, which is set from 1971 to 2042, because the epoch is 1900.
func positive(read func(ticks *int64, n int)) func(ticks *int64, n int) {
	return func(ticks *int64, n int) {
		read(ticks, n)
		values := unsafe.Slice(ticks, n)
		for i := range values {
			values[i] &= math.MaxInt64
		}
	}
}

// The spin functions read the clock n times, n ≥ 1, and drop the values. The read functions store n consecutive values
// at ticks, which must have room for them.

// spinSTCKF waits for nothing, and may read a value twice.
func spinSTCKF(n int)

func readSTCKF(ticks *int64, n int)

// spinSTCK waits for all earlier instructions, and reads each value once.
func spinSTCK(n int)

func readSTCK(ticks *int64, n int)
