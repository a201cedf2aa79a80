package measure

import (
	"math"
	"time"
)

// A reading is the time by the wall clock and by the monotonic clock. One was read after the other, and the thread may have
// been stopped in between.
type reading struct{ wall, monotonic time.Duration }

// started is when the monotonic time of readings begins.
var started = time.Now()

func readBoth() reading {
	now := time.Now()
	return reading{time.Duration(now.UnixNano()), now.Sub(started)}
}

// A glance is a reading of both clocks, which were read within the time unsure.
type glance struct {
	reading
	unsure time.Duration
}

// look returns the tightest of some glances: each reading between two others, whose monotonic times are before and after all
// of it.
func look(read func() reading) glance {
	const tries, tight = 10, 200 * time.Microsecond
	best := glance{unsure: math.MaxInt64}
	for range tries {
		before, now, after := read(), read(), read()
		if unsure := after.monotonic - before.monotonic; unsure < best.unsure {
			best = glance{now, unsure}
		}
		if best.unsure <= tight {
			break
		}
	}
	return best
}
