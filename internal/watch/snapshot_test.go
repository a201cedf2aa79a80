package watch

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/test/need"
)

// A turn of this machine has figures of each of its clocks, which are positive and finite.
func TestSnapshot(t *testing.T) {
	r := newReader(clock.Default())
	for range 3 {
		l := r.snapshot()
		require.Equal(t, host.CurrentClockSource(), l.source)
		require.Len(t, l.clocks, len(r.clocks))
		for i, c := range l.clocks {
			require.Equal(t, r.clocks[i].ID, c.ID)
			if clock.Readable(r.clocks[i]) != nil {
				require.False(t, c.Available)
				require.NotEmpty(t, c.Reason)
				continue
			}
			require.True(t, c.Available, "%s: %s", c.ID, c.Reason)
			require.NotEmpty(t, c.Latency.SamplesNS, c.ID)
			cost := c.Latency.CostNS()
			require.False(t, cost <= 0 || math.IsInf(cost, 0) || math.IsNaN(cost), "%s: %g", c.ID, cost)
			require.GreaterOrEqual(t, c.Latency.MedianNS, c.Latency.MinNS)
		}
	}
}

// A slice has the cost of a read, whatever the last slice promised. A thread that loses its CPU while it finds out what
// a read costs may have no slice.
func TestASliceIsLongEnough(t *testing.T) {
	for _, promised := range []float64{0, 1, 1000, 1e6, 1e12} {
		s := &subject{reader: waiting{}, readNS: promised}
		for tries := 0; len(s.slices) < 3; tries++ {
			require.Less(t, tries, 100)
			s.take(50 * time.Microsecond)
		}
		for _, ns := range s.slices {
			require.GreaterOrEqual(t, ns, 1000.0)
		}
	}
}

// A stopwatch that stands still does not hold up a turn.
func TestAStandingStopwatch(t *testing.T) {
	defer observe.TryStopwatch()
	observe.AssumeStopwatch(20, time.Hour)
	r := &reader{subjects: []*subject{{reader: waiting{}}}}
	r.read()
	require.Empty(t, r.subjects[0].slices)
}

// waiting is a reader whose reads take a microsecond at least.
type waiting struct{}

func (waiting) Spin(n int) {
	for end := observe.Now() + int64(n)*1000; observe.Now() < end; {
	}
}

func (waiting) Read([]int64) {}

// Many turns leave no goroutine and no file behind. Go's runtime may start a thread at any time, which has three files
// under Wine.
func TestTurnsLeaveNothingBehind(t *testing.T) {
	r := newReader(slices.DeleteFunc(clock.Catalog(), func(c clock.Clock) bool { return c.Path != clock.VDSO && c.Path != clock.Go }))
	for range 2 {
		r.snapshot()
	}
	goroutines, files := runtime.NumGoroutine(), need.OpenFiles()
	const turns = 40
	for range turns {
		r.snapshot()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+2)
	require.Less(t, need.OpenFiles(), files+turns)
}

// Run ends with its context, and leaves no goroutine behind.
func TestRunEnds(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	turns := 0
	need.Ends(t, "a watch", func() {
		Run(ctx, Settings{
			Every: MinEvery, Report: func(Event) {},
			Examine: func(context.Context) (*result.Document, error) { return &result.Document{}, nil },
			Publish: func(s *State) *Event {
				if turns++; s.Turns == 2 {
					cancel()
				}
				return nil
			},
		})
	})
	require.GreaterOrEqual(t, turns, 2)
	need.Ends(t, "the sleep of a watch", func() {
		for runtime.NumGoroutine() > goroutines+1 { // the goroutine of this function
			time.Sleep(10 * time.Millisecond)
		}
	})
}
