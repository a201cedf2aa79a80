package observe

import (
	"time"

	"github.com/timebench/timebench/internal/machine/host"
)

// fewBrackets is the number of brackets of the wall clock. The thread may be stopped in some of them.
const fewBrackets = 5

// WallClock returns the wall clock between two readings of the stopwatch, in ns.
func WallClock() Bracket {
	return TightestOf(fewBrackets, Now, func() int64 { return time.Now().UnixNano() }).Bracket
}

// WallStep returns by how much the wall clock was set between two brackets of it by another clock, in ns; 0 if it was
// not. NTP may slew the wall clock by 500 ppm (adjtimex(2)); twice that, the clocks' resolution, and the time that
// their readings took are not a step.
func WallStep(before, now Bracket) time.Duration {
	const slew = 1000
	passed := time.Duration(now.Middle() - before.Middle())
	step := time.Duration(now.Value-before.Value) - passed
	unsure := time.Duration(now.Width()+before.Width()) / 2
	if step.Abs() <= host.WallGranularity+passed/slew+unsure {
		return 0
	}
	return step
}
