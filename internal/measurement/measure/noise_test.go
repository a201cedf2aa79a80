package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
)

func TestNoiseTellsAQuietRunFromADisturbedOne(t *testing.T) {
	begun := time.Now()
	// busy returns /proc/stat of two CPUs, with the given times added to the second.
	busy := func(seconds, steal float64) map[int]host.CPUTime {
		return map[int]host.CPUTime{0: {BusySeconds: 60}, 1: {BusySeconds: 40 + seconds, StealSeconds: 1 + steal}}
	}
	n := noise{Recorder: Recorder{first: host.Sighting{At: begun, CPUs: busy(0, 0), OwnSeconds: 2}}}
	n.source("tsc")
	for range 9 {
		n.add(20, 20.5)
	}
	n.add(20, 30)
	n.source("tsc")
	n.last = n.first
	n.last.At = begun.Add(10 * time.Second)
	n.last.CPUs = busy(12, 0)
	n.last.OwnSeconds += 12
	c := n.conditions(nil)
	require.Equal(t, int64(10*time.Second), c.DurationNS)
	require.Equal(t, 10, c.Turns)
	require.Equal(t, 1, c.InterruptedTurns)
	require.Zero(t, c.OtherCPUs)
	require.Zero(t, c.StealShare)
	require.Zero(t, c.ThrottledNS)
	require.Empty(t, c.ClockSources, "a clock source that stays is not worth a word")
	require.Zero(t, c.WallStepNS)

	n.last.CPUs = busy(17, 2)
	// The group that was throttled longest is not the group of this run.
	n.first.Throttled = map[string]host.Throttling{"parent": {Periods: 1000, NS: 1e9}, "own": {Periods: 3, NS: 100}}
	n.last.Throttled = map[string]host.Throttling{"parent": {Periods: 1000, NS: 1e9}, "own": {Periods: 10, NS: 400}}
	n.source("hpet")
	n.source("tsc")
	floor := &subject{}
	for i := range 10 {
		floor.latency = append(floor.latency, float64(10-i))
	}
	c = n.conditions(floor)
	require.InDelta(t, 0.5, c.OtherCPUs, 1e-9)
	require.InEpsilon(t, 2/(10*2.0), c.StealShare, 1e-9)
	require.Equal(t, int64(7), c.ThrottledPeriods)
	require.Equal(t, int64(300), c.ThrottledNS)
	require.Equal(t, []string{"tsc", "hpet", "tsc"}, c.ClockSources)
	require.Equal(t, 3.0, c.FloorLowNS)
	require.Equal(t, 8.0, c.FloorHighNS)
	require.Equal(t, 10.0, floor.latency[0], "the order of the samples was changed")
}

// A CPU that comes online during a run adds its time since the boot, and a CPU that goes offline removes it. Neither is
// time of this run.
func TestCPUThatComesOrGoesIsNoLoad(t *testing.T) {
	begun := time.Now()
	all := map[int]host.CPUTime{0: {BusySeconds: 60}, 1: {BusySeconds: 5000, StealSeconds: 900}}
	one := map[int]host.CPUTime{0: {BusySeconds: 62}}
	for _, n := range []Recorder{
		{first: host.Sighting{At: begun, CPUs: all}, last: host.Sighting{CPUs: one}},
		{first: host.Sighting{At: begun, CPUs: map[int]host.CPUTime{0: {BusySeconds: 58}}},
			last: host.Sighting{CPUs: all}},
	} {
		n.last.At = begun.Add(10 * time.Second)
		c := n.conditions()
		require.InDelta(t, 0.2, c.OtherCPUs, 1e-9)
		require.Zero(t, c.StealShare)
	}
}

func TestNoiseKeepsTheLargestWallClockStep(t *testing.T) {
	var n Recorder
	for _, step := range []time.Duration{0, 200 * time.Millisecond, -3 * time.Second, 100 * time.Millisecond} {
		n.glanced = observe.Bracket{Low: 0, Value: time.Hour.Nanoseconds(), High: 0}
		n.wall(observe.Bracket{Low: 1e9, Value: int64(time.Hour + time.Second + step), High: 1e9})
	}
	require.Equal(t, -3*time.Second, n.wallStep, "with its sign")
}

// A clock source that changes back during a run is recorded; an empty name is ignored.
func TestClockSourceThatChangesBack(t *testing.T) {
	defer func(was func() string) { currentClockSource = was }(currentClockSource)
	source := "tsc"
	currentClockSource = func() string { return source }
	r := Record()
	source = "hpet"
	r.Glance() // too soon
	require.Equal(t, []string{"tsc"}, r.sources)
	r.glanced.High -= time.Second.Nanoseconds()
	r.Glance()
	source = ""
	r.glance()
	source = "tsc"
	require.Equal(t, []string{"tsc", "hpet", "tsc"}, r.End().ClockSources)
}

// Whatever a reading of the stopwatch costs, it is negligible in a slice, and a turn has
// enough slices for a median.
func TestSlicesAreLongAgainstTheStopwatch(t *testing.T) {
	defer observe.TryStopwatch()
	for _, cost := range []time.Duration{20, 300, 1000, 30_000} {
		observe.AssumeStopwatch(cost, 20)
		for _, s := range []Settings{{}, {CPU: result.CPU{Quota: 0.02, QuotaPeriodNS: 1e8}}} {
			require.GreaterOrEqual(t, s.slice(), 300*cost)
			require.GreaterOrEqual(t, s.turn(), 5*s.slice())
		}
	}
	observe.AssumeStopwatch(20, 20)
	require.Equal(t, 100*time.Microsecond, Settings{}.slice())
	require.Equal(t, 20*time.Microsecond, Settings{CPU: result.CPU{Quota: 0.02, QuotaPeriodNS: 1e8}}.slice())
	observe.AssumeStopwatch(20, 4*time.Millisecond) // clock source jiffies
	require.Equal(t, 20*time.Millisecond, Settings{}.slice())
	require.Equal(t, 100*time.Millisecond, Settings{}.turn())
}
