package observe

import (
	"time"

	"github.com/timebench/timebench/internal/clock"
)

const (
	// longestCall is the max span of a native call, which cannot be interrupted; see package native.
	longestCall = 100 * time.Microsecond
	// FewestSlices is the min number of slices of [TimeReads] if reads take longer than planned: enough for a median.
	FewestSlices = 5
	// leastReadNS is the min latency to plan with: if the stopwatch stands still, the number of reads stays finite.
	leastReadNS = 0.01
)

// ReadsIn returns how many reads of readNS each fit in the span; at least one.
func ReadsIn(span time.Duration, readNS float64) int { return max(1, int(float64(span)/readNS)) }

// TimeReads makes reads for about the span, in contiguous slices of about slice, and returns the wall ns/read of
// each slice. readNS is the approximate time of a read. If reads take much longer, there are fewer slices.
func TimeReads(reader clock.Reader, readNS float64, span, slice time.Duration) (slicesNS []float64) {
	return timeReads(reader, readNS, span, slice, Now)
}

func timeReads(reader clock.Reader, readNS float64, span, slice time.Duration, now func() int64) (slicesNS []float64) {
	readNS = max(readNS, leastReadNS)
	reads := ReadsIn(min(longestCall, span), readNS)
	callNS := float64(reads) * readNS
	calls := max(1, int(float64(slice)/callNS+0.5)) // of a slice
	slicesNS = make([]float64, max(1, int(float64(span)/(float64(calls)*callNS))))
	begun := now()
	last := begun
	for i := range slicesNS {
		for range calls {
			reader.Spin(reads)
		}
		at := now()
		slicesNS[i] = float64(at-last) / float64(calls*reads)
		last = at
		if i+1 >= FewestSlices && time.Duration(at-begun) > 2*span {
			return slicesNS[:i+1]
		}
	}
	return slicesNS
}

// ReadNS returns the approximate time of a read in nanoseconds: the min of several short spins, each long enough
// for the stopwatch. It takes about a millisecond.
func ReadNS(reader clock.Reader) float64 {
	const shortestTicks = 10 // of the stopwatch in a spin
	enough := int64(max(longestCall, shortestTicks*StopwatchTick()))
	spin := func(n int) int64 {
		begun := Now()
		reader.Spin(n)
		return Now() - begun
	}
	n := 1
	for n < 1<<24 && spin(n) < enough {
		n *= 2
	}
	best := spin(n)
	for range 3 {
		best = min(best, spin(n))
	}
	return max(float64(best)/float64(n), leastReadNS)
}
