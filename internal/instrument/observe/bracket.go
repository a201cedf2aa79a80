package observe

import (
	"time"

	"github.com/timebench/timebench/internal/machine/host"
)

// A Bracket is a value of one clock between two readings of another clock: Low is the reading before, High the reading
// after.
type Bracket struct{ Low, Value, High int64 }

// Width returns High - Low in ticks; it is negative if the outer clock went back.
func (b Bracket) Width() int64 { return b.High - b.Low }

// Middle returns the middle of Low and High, in ticks. The error bound of the value's time is half of the width.
func (b Bracket) Middle() int64 { return b.Low + b.Width()/2 }

// OffsetNS returns the offset of the value from the middle, in ns, and its error bound: half of the width and the tick
// of the value. Both clocks have the same unit. The offset is positive if the clock of the value is ahead.
func (b Bracket) OffsetNS(nsPerTick, tickNS float64) (offset, bound float64) {
	return float64((b.Value-b.Low)-(b.High-b.Value)) / 2 * nsPerTick, float64(b.Width())/2*nsPerTick + tickNS
}

// A Tightest keeps the narrowest bracket, which was disturbed least. The zero value has no bracket.
type Tightest struct {
	Bracket
	Brackets int64 // number of taken brackets
}

// Take takes another bracket. It returns false, and ignores the bracket, if the outer clock went back.
func (t *Tightest) Take(b Bracket) bool {
	if b.Width() < 0 {
		return false
	}
	if t.Brackets == 0 || b.Width() < t.Width() {
		t.Bracket = b
	}
	t.Brackets++
	return true
}

// Join adds the brackets of another Tightest.
func (t *Tightest) Join(o Tightest) {
	if o.Brackets > 0 && (t.Brackets == 0 || o.Width() < t.Width()) {
		t.Bracket = o.Bracket
	}
	t.Brackets += o.Brackets
}

// TightestOf makes this number of brackets, each a reading of the inner clock between two of
// the outer, and returns the tightest.
func TightestOf(brackets int, outer, inner func() int64) (t Tightest) {
	for range brackets {
		low := outer()
		value := inner()
		t.Take(Bracket{low, value, outer()})
	}
	return t
}

// fewBrackets is the number of brackets of the wall clock. The thread may be stopped in some of them.
const fewBrackets = 5

// WallClock returns the wall clock between two readings of SinceBoot, in ns. The wall clock counts suspend, so its
// distance from a clock that does not would change.
func WallClock() Bracket {
	return TightestOf(fewBrackets, SinceBoot, func() int64 { return time.Now().UnixNano() }).Bracket
}

// BootClock returns SinceBoot between two readings of the stopwatch, in ns.
func BootClock() Bracket { return TightestOf(fewBrackets, Now, SinceBoot).Bracket }

// Suspended returns for how long the machine was suspended between two brackets of BootClock; 0 if it was not, or if
// the stopwatch counts the time of a suspended machine too. It does not see a suspend as short as a tick of Windows.
func Suspended(before, now Bracket) time.Duration { return max(WallStep(before, now), 0) }

// WallStep returns by how much the wall clock was set between two brackets of it, in ns; 0 if it was not set. NTP may
// slew the wall clock by 500 ppm (adjtimex(2)). Twice the slew, plus the clocks' resolution and the width of the
// brackets, does not count as a step.
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
