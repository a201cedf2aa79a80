package measure

import (
	"math"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
)

// Step watches a clock and returns how far apart in nanoseconds its values lie: the median
// of a few steps from one value to the next; 0 where nearly every value differs from the
// one before, so that it is finer than a read. moved is false where it did not step
// at all while it was watched, for no longer than patience. The median, since one step
// that is long says that the clock stood or the thread was away, and not how it ticks.
func Step(reader clock.Reader, nsPerTick float64, patience time.Duration) (stepNS float64, moved bool) {
	const few = 9
	var steps []float64
	value := make([]int64, 1)
	reader.Read(value)
	last, repeats := value[0], 0
	for end := observe.Now() + int64(patience); len(steps) < few && observe.Now() < end; {
		if reader.Read(value); value[0] == last {
			repeats++
			continue
		}
		steps = append(steps, math.Abs(float64(value[0]-last))*nsPerTick)
		last = value[0]
	}
	switch {
	case len(steps) == 0:
		return 0, false
	case repeats < len(steps):
		return 0, true
	}
	slices.Sort(steps)
	return steps[len(steps)/2], true
}
