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
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/test/need"
)

// A turn of this machine has figures of each of its clocks, which are positive and finite.
func TestLook(t *testing.T) {
	r := newReader(clock.Default())
	for range 3 {
		l := r.look()
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

// A slice takes half of its span at least, whatever the last slice promised, and has the cost of a read.
func TestASliceIsLongEnough(t *testing.T) {
	for _, promised := range []float64{0, 1e-9, 1, 1000, 1e12} {
		c := &counting{readNS: 1000}
		s := &subject{reader: c, readNS: promised}
		for i := range 3 {
			s.take(50*time.Microsecond, func() int64 { return c.now })
			require.Len(t, s.slices, i+1)
			require.InDelta(t, 1000, s.slices[i], 0)
		}
		require.Equal(t, 50, c.reads, "of the last slice, after one that was promised to cost %g ns/read", promised)
	}
}

// A stopwatch that stands still does not hold up a turn.
func TestASliceEnds(t *testing.T) {
	s := &subject{reader: &counting{}}
	s.take(50*time.Microsecond, func() int64 { return 0 })
	require.Empty(t, s.slices)
}

// counting is a reader whose reads take so long by its own stopwatch.
type counting struct {
	readNS, now int64
	reads       int // of the last Spin
}

func (c *counting) Spin(n int) {
	c.reads = n
	c.now += c.readNS * int64(n)
}

func (c *counting) Read([]int64) {}

// Hundreds of turns leave no goroutine, no thread and no file behind.
func TestTurnsLeaveNothingBehind(t *testing.T) {
	r := newReader(slices.DeleteFunc(clock.Catalog(), func(c clock.Clock) bool { return c.Path != clock.VDSO && c.Path != clock.Go }))
	for range 5 {
		r.look()
	}
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 200 {
		r.look()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+2)
	require.LessOrEqual(t, openFiles(t), files)
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
		for runtime.NumGoroutine() > goroutines+1 { // the one of this function
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// BenchmarkTurn is what a turn takes, without its output.
func BenchmarkTurn(b *testing.B) {
	everyday := []string{"CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso", "gettimeofday@vdso", "CLOCK_MONOTONIC@syscall", "time.Now@go"}
	r := newReader(slices.DeleteFunc(clock.Catalog(), func(c clock.Clock) bool { return !slices.Contains(everyday, c.ID) }))
	r.look()
	b.ResetTimer()
	before := host.See().OwnSeconds
	for range b.N {
		r.look()
	}
	b.ReportMetric((host.See().OwnSeconds-before)/float64(b.N)*1e9, "cpu-ns/op")
}

// BenchmarkBeat is what a beat takes, without what it compares.
func BenchmarkBeat(b *testing.B) {
	s := newSleeper()
	defer s.close()
	before := host.See().OwnSeconds
	for range b.N {
		s.sleep(b.Context(), 10*time.Millisecond)
	}
	b.ReportMetric((host.See().OwnSeconds-before)/float64(b.N)*1e9, "cpu-ns/op")
}
