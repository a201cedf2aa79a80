package drift

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/words"
)

const (
	// around is the number of changes on either side that show the usual change from one
	// reading to the next. asLarge of them must be that large: a clock that is being slewed
	// changes several times in a row, a clock that was set only once.
	around  = 5
	asLarge = 3
	// far is the min ratio of a step to the usual change.
	far = 5
	// slewed is the share of the time by which a clock may change without being set:
	// adjtimex(2) changes its rate by up to 500 ppm, and adjtime(3) slews it by as much.
	slewed = 1e-3
	// lateNS is the max delay of the tick of a coarse clock.
	lateNS = 1e9
)

// A step is a sudden change of a clock against the reference.
type step struct {
	at   int     // the first reading after the step
	byNS float64 // how far the clock got ahead; negative if it was set back
	atNS float64 // the latest time of the step
}

// steps returns where a clock was set: its offset changed between two readings by more than both brackets, the ticks of
// both clocks, a change of rate, and the usual change around it explain.
func (m meter) steps(readings []reading) []step {
	changes := make([]float64, max(0, len(readings)-1))
	for i := range changes {
		changes[i] = offset(readings[i+1], readings[i], m.hz)
	}
	var found []step
	for i, change := range changes {
		before, after := readings[i], readings[i+1]
		room := (before.widthNS+after.widthNS)/2 + m.tickNS + m.stepNS + slewed*(after.atNS-before.atNS)
		if m.coarse {
			room += lateNS
		}
		if math.Abs(change) > room+far*usual(readings, changes, i) {
			found = append(found, step{i + 1, change, after.atNS})
		}
	}
	return found
}

// usual returns the usual change around change i, scaled to the time of that change.
func usual(readings []reading, changes []float64, i int) float64 {
	passed := func(j int) float64 { return readings[j+1].atNS - readings[j].atNS }
	var sizes []float64
	for j := max(0, i-around); j <= min(len(changes)-1, i+around); j++ {
		if j != i {
			sizes = append(sizes, math.Abs(changes[j])*max(1, passed(i)/max(1, passed(j))))
		}
	}
	if len(sizes) < asLarge {
		return 0
	}
	slices.Sort(sizes)
	return sizes[len(sizes)-asLarge]
}

// longest returns the longest part, in time, of the readings from one to another that contains no step.
func longest(readings []reading, steps []step, from, to int) []reading {
	var best []reading
	for _, s := range append(slices.Clone(steps), step{at: to}) {
		end := min(max(s.at, from), to)
		if part := readings[from:end]; len(part) > 0 && (best == nil || length(part) > length(best)) {
			best = part
		}
		from = end
	}
	return best
}

func stepped(steps []step) error {
	if len(steps) == 0 {
		return nil
	}
	worst := slices.MaxFunc(steps, func(a, b step) int { return cmp.Compare(math.Abs(a.byNS), math.Abs(b.byNS)) })
	text := fmt.Sprintf("stepped by %s after %s", words.SignedDuration(worst.byNS), words.Duration(worst.atNS))
	if n := len(steps); n > 1 {
		text = fmt.Sprintf("stepped %d times, the farthest by %s after %s", n, words.SignedDuration(worst.byNS),
			words.Duration(worst.atNS))
	}
	return fmt.Errorf("%s; only the longest part without a step shows its rate", text)
}

// typicalHz returns the median of the ticks/s of the changes, which a step does not affect.
func typicalHz(readings []reading) float64 {
	var rates []float64
	for i := range readings[1:] {
		if passed := readings[i+1].atNS - readings[i].atNS; passed > 0 {
			rates = append(rates, float64(readings[i+1].ticks-readings[i].ticks)*1e9/passed)
		}
	}
	if len(rates) == 0 {
		return 0
	}
	return stats.Median(rates)
}
