package measure

import (
	"math"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// noise records the disturbances of a run, from a few counters that the system keeps anyway
// and from the samples themselves.
type noise struct {
	first, last host.Sighting
	turns       int
	interrupted int
	sources     []string
	// glanced is the wall clock between two readings of the monotonic clock, when they were last compared.
	glanced  observe.Bracket
	wallStep time.Duration
}

// interruption is the ratio of a turn's mean to its median above which the turn counts as interrupted.
const interruption = 1.1

func (n *noise) begin() {
	n.first = host.See()
	n.glanced = observe.WallClock()
	n.source(n.first.ClockSource)
}

func (n *noise) end() {
	n.last = host.See()
	n.source(n.last.ClockSource)
	n.wall(observe.WallClock())
}

func (n *noise) glance() {
	n.source(host.CurrentClockSource())
	n.wall(observe.WallClock())
}

func (n *noise) source(name string) {
	if last := len(n.sources) - 1; name != "" && (last < 0 || n.sources[last] != name) {
		n.sources = append(n.sources, name)
	}
}

func (n *noise) wall(now observe.Bracket) {
	if step := observe.WallStep(n.glanced, now); step.Abs() > n.wallStep.Abs() {
		n.wallStep = step
	}
	n.glanced = now
}

func (n *noise) add(median, mean float64) {
	n.turns++
	if mean > interruption*median {
		n.interrupted++
	}
}

// share rounds the difference of large sums to a millionth, and returns 0 if it is negative.
func share(x float64) float64 { return max(0, math.Round(x*1e6)/1e6) }

// Conditions returns what the counters of the system show of the disturbances between two sightings. The
// work of this process, and of its children that have ended, is no disturbance.
func Conditions(first, last host.Sighting) compare.Conditions {
	spent := last.At.Sub(first.At)
	withheld := last.Since(first)
	c := compare.Conditions{DurationNS: int64(spent), ThrottledPeriods: withheld.Periods, ThrottledNS: withheld.NS}
	if all, cpus := last.Worked(first); all.BusySeconds > 0 && spent > 0 {
		c.StealShare = min(1, share(all.StealSeconds/(float64(cpus)*spent.Seconds())))
		c.OtherCPUs = share((all.BusySeconds - (last.OwnSeconds - first.OwnSeconds)) / spent.Seconds())
	}
	return c
}

// conditions returns the disturbances of the run; floor may be nil.
func (n *noise) conditions(floor *subject) compare.Conditions {
	c := Conditions(n.first, n.last)
	c.Turns, c.InterruptedTurns, c.WallStepNS = n.turns, n.interrupted, int64(n.wallStep)
	if len(n.sources) > 1 {
		c.ClockSources = n.sources
	}
	const enough = 8 // rounds for quartiles
	if floor != nil && len(floor.latency) >= enough {
		sorted := slices.Sorted(slices.Values(floor.latency))
		quarter := len(sorted) / 4
		c.FloorLowNS, c.FloorHighNS = sorted[quarter], sorted[len(sorted)-1-quarter]
	}
	return c
}
