package measure

import (
	"math"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
)

// A Recorder records the disturbances of a run, from a few counters that the system keeps anyway. The work of this
// process, and of its children that have ended, is no disturbance.
type Recorder struct {
	first, last host.Sighting
	sources     []string
	// glanced is the wall clock between two readings of the clock that counts suspend, when they were last compared.
	glanced  observe.Bracket
	wallStep time.Duration
}

// noise is the disturbances of a run in rounds. The samples show some of them.
type noise struct {
	Recorder
	turns, interrupted int
}

// interruption is the ratio of a turn's mean to its median above which the turn counts as interrupted.
const interruption = 1.1

// currentClockSource is a variable because tests must not change the clock source of the machine.
var currentClockSource = host.CurrentClockSource

// Record returns a record that begins now.
func Record() *Recorder {
	r := &Recorder{first: host.See(), glanced: observe.WallClock()}
	r.source(currentClockSource())
	return r
}

// Glance looks for a change of the clock source and of the wall clock, once a second at most.
func (r *Recorder) Glance() {
	if observe.SinceBoot()-r.glanced.High >= time.Second.Nanoseconds() {
		r.glance()
	}
}

func (r *Recorder) glance() {
	r.source(currentClockSource())
	r.wall(observe.WallClock())
}

// End returns the disturbances from the start of the record until now.
func (r *Recorder) End() result.Conditions {
	r.end()
	return r.conditions()
}

func (r *Recorder) end() {
	r.last = host.See()
	r.glance()
}

func (r *Recorder) source(name string) {
	if last := len(r.sources) - 1; name != "" && (last < 0 || r.sources[last] != name) {
		r.sources = append(r.sources, name)
	}
}

func (r *Recorder) wall(now observe.Bracket) {
	if step := observe.WallStep(r.glanced, now); step.Abs() > r.wallStep.Abs() {
		r.wallStep = step
	}
	r.glanced = now
}

func (n *noise) add(median, mean float64) {
	n.turns++
	if mean > interruption*median {
		n.interrupted++
	}
}

// share rounds the difference of large sums to a millionth, and returns 0 if it is negative.
func share(x float64) float64 { return max(0, math.Round(x*1e6)/1e6) }

func (r *Recorder) conditions() result.Conditions {
	spent := r.last.At.Sub(r.first.At)
	withheld := r.last.Since(r.first)
	c := result.Conditions{DurationNS: int64(spent), ThrottledPeriods: withheld.Periods, ThrottledNS: withheld.NS,
		WallStepNS: int64(r.wallStep)}
	if all, cpus := r.last.Worked(r.first); all.BusySeconds > 0 && spent > 0 {
		c.StealShare = min(1, share(all.StealSeconds/(float64(cpus)*spent.Seconds())))
		c.OtherCPUs = share((all.BusySeconds - (r.last.OwnSeconds - r.first.OwnSeconds)) / spent.Seconds())
	}
	if len(r.sources) > 1 {
		c.ClockSources = r.sources
	}
	return c
}

// conditions returns the disturbances of the run; floor may be nil.
func (n *noise) conditions(floor *subject) result.Conditions {
	c := n.Recorder.conditions()
	c.Turns, c.InterruptedTurns = n.turns, n.interrupted
	const enough = 8 // rounds for quartiles
	if floor != nil && len(floor.latency) >= enough {
		sorted := slices.Sorted(slices.Values(floor.latency))
		quarter := len(sorted) / 4
		c.FloorLowNS, c.FloorHighNS = sorted[quarter], sorted[len(sorted)-1-quarter]
	}
	return c
}
