package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/timebench/timebench/internal/machine/host"
)

func TestWallStep(t *testing.T) {
	require.Zero(t, WallStep(WallClock(), WallClock()), "this machine's clocks")
	step := func(wall, monotonic, unsure time.Duration) time.Duration {
		from, to := time.Minute.Nanoseconds(), (time.Minute + monotonic).Nanoseconds()
		return WallStep(Bracket{Low: from, Value: time.Hour.Nanoseconds(), High: from},
			Bracket{Low: to - int64(unsure), Value: int64(time.Hour + wall), High: to + int64(unsure)})
	}
	require.Zero(t, step(time.Second+500*time.Microsecond, time.Second, 0), "what NTP may slew is no step")
	require.Zero(t, step(time.Second+90*time.Millisecond, time.Second, 100*time.Millisecond),
		"what the thread may have been stopped for is no step")
	require.Equal(t, 200*time.Millisecond, step(time.Second+200*time.Millisecond, time.Second, 0))
	require.Equal(t, -3*time.Second, step(time.Second-3*time.Second, time.Second, 0))
}

// A tick of the clock that counts suspend, and what NTP may slew, is no suspend.
func TestSuspended(t *testing.T) {
	at := func(boot, stopwatch time.Duration) Bracket {
		return Bracket{int64(stopwatch), int64(boot), int64(stopwatch)}
	}
	begin, passed := at(0, 0), 10*time.Second
	require.Zero(t, Suspended(BootClock(), BootClock()), "this machine's clocks")
	require.Zero(t, Suspended(begin, at(passed+host.WallGranularity, passed)), "a tick")
	require.Zero(t, Suspended(begin, at(passed+5*time.Millisecond, passed)), "500 ppm")
	require.Zero(t, Suspended(begin, at(passed-time.Minute, passed)), "no suspend is negative")
	require.Equal(t, time.Minute, Suspended(begin, at(passed+time.Minute, passed)))
}

// The thread is stopped for 50 ms after each reading of the wall clock in every second comparison, or after every third
// reading. That is not a step; setting the clock by 150 ms is.
func TestStopBetweenTheClocksIsNoStep(t *testing.T) {
	for name, stops := range map[string]func(comparison, reading int) bool{
		"every second comparison": func(comparison, _ int) bool { return comparison%2 == 0 },
		"every third reading":     func(_, reading int) bool { return reading%3 == 0 },
	} {
		now, set, comparisons, readings := int64(time.Hour), int64(0), 0, 0
		monotonic := func() int64 { now += 100; return now }
		wall := func() int64 {
			now += 100
			value := now + set
			if readings++; stops(comparisons, readings) {
				now += int64(50 * time.Millisecond)
			}
			return value
		}
		compared := func() Bracket {
			now += int64(time.Second)
			comparisons++
			return TightestOf(fewBrackets, monotonic, wall).Bracket
		}
		last := compared()
		for range 100 {
			next := compared()
			require.Zero(t, WallStep(last, next), name)
			last = next
		}
		set = int64(150 * time.Millisecond)
		require.InDelta(t, set, WallStep(last, compared()), 26e6, name)
	}
}

// If the outer clock goes back within a bracket, the bracket has a negative width, and is not the tightest.
func TestBracketThatGoesBackDoesNotCount(t *testing.T) {
	var kept Tightest
	require.False(t, kept.Take(Bracket{50, 52, 40}))
	require.True(t, kept.Take(Bracket{0, 1, 90}))
	require.False(t, kept.Take(Bracket{400, 410, 399}))
	require.Equal(t, Tightest{Bracket{0, 1, 90}, 1}, kept)
}
