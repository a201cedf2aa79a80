package skew

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/test/planted"
)

// A failing reader reads a real counter, and may fail.
type failing struct {
	clock.Reader
	fails func() error
}

func (f failing) Err() error { return f.fails() }

// sound returns a counter without an offset.
func sound(t *testing.T) clock.Clock {
	t.Helper()
	return planted.Counter(t, 0, 0)
}

func run(cpus []int, clocks ...clock.Clock) Skew {
	return Run(context.Background(), clocks, Settings{Time: time.Duration(len(clocks)) * 200 * time.Millisecond,
		CPUs: cpus}, nil)
}

// compared returns the only pair of a clock on two CPUs. On a busy machine the CPUs may
// hardly ever run at the same time; then the run has no pair and a reason, and is repeated.
// A run whose time limit passed before it began names no pairs at all.
func compared(t *testing.T, cpus []int, c clock.Clock) CPUPair {
	t.Helper()
	for range 50 {
		one := run(cpus, c).Clocks[0]
		if len(one.Pairs) == 1 {
			return one.Pairs[0]
		}
		require.Empty(t, one.Pairs)
		require.NotEmpty(t, one.Reason)
		for _, missing := range one.MissingPairs {
			require.Equal(t, MissingPair{cpus[0], cpus[1], one.Reason}, missing)
		}
	}
	t.Fatal("the CPUs never ran at the same time")
	return CPUPair{}
}

// The planted offset is within the error bound of the measured one, whatever its size and
// sign.
func TestOffsetIsFoundWithinItsBound(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	for _, ahead := range []float64{0, 300, -100_000, 1e9} {
		for side, sign := range map[int]float64{0: -1, 1: 1} {
			p := compared(t, cpus, planted.Counter(t, cpus[side], ahead))
			require.Equal(t, [2]int{cpus[0], cpus[1]}, [2]int{p.CPU, p.OtherCPU})
			require.Positive(t, p.Rounds)
			require.Positive(t, p.BoundNS)
			require.InDelta(t, sign*ahead, p.OffsetNS, p.BoundNS)
			require.Greater(t, p.BoundNS, p.RoundTripNS/2)
			if math.Abs(ahead) > 2*p.BoundNS {
				require.True(t, p.Apart())
			}
		}
	}
}

// A brief comparison ends after a number of round trips, long before its time is up, and finds the same.
func TestBriefComparison(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	c := planted.Counter(t, cpus[1], 5000)
	for tries := 0; ; tries++ { // on a busy machine the threads may not run at the same time
		require.Less(t, tries, 50)
		r := Run(t.Context(), []clock.Clock{c}, Settings{Time: time.Minute, CPUs: cpus, Brief: true}, nil)
		if len(r.Clocks[0].Pairs) == 1 && r.Missing() == "" {
			p := r.Clocks[0].Pairs[0]
			require.Less(t, p.Rounds, int64(briefRounds+2*roundsPerCheck))
			require.InDelta(t, 5000, p.OffsetNS, p.BoundNS)
			require.True(t, p.Apart())
			return
		}
	}
}

func TestWhatCannotBeCompared(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	none := sound(t)
	none.Open = func() (clock.Reader, error) { return nil, errors.New("this machine has none") }
	own := sound(t)
	own.Kind = clock.CPUTime
	var reads atomic.Int64
	unplugged := sound(t)
	open := unplugged.Open
	unplugged.Open = func() (clock.Reader, error) {
		reader, err := open()
		return failing{Reader: reader, fails: func() error {
			if reads.Add(1) > 5 {
				return errors.New("no such device")
			}
			return nil
		}}, err
	}
	var r Skew
	for attempt := 0; attempt < 50 && reads.Load() <= 5; attempt++ { // on a busy machine the time limit may end the run first
		r = run(cpus, none, own, unplugged)
	}
	require.Equal(t, "this machine has none", r.Clocks[0].Reason)
	require.Equal(t, "CPU time is a thread's or a process's, not a CPU's", r.Clocks[1].Reason)
	require.Equal(t, "no such device", r.Clocks[2].Reason)
	for _, c := range r.Clocks {
		require.Empty(t, c.Pairs)
	}
}

// The error bound of a coarse clock is its tick, whatever the round trip.
func TestBoundOfACoarseClock(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	c := sound(t)
	c.ReportedNS = func() float64 { return 4e6 }
	require.GreaterOrEqual(t, compared(t, cpus, c).BoundNS, 4e6)
}

func TestCPUThatIsGone(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	found := map[int]bool{}
	for attempt := 0; attempt < 50 && len(found) < 2; attempt++ { // on a busy machine a clock may have no pair
		r := Run(t.Context(), []clock.Clock{sound(t), sound(t)},
			Settings{Time: 5 * time.Second, Brief: true, CPUs: []int{1000, cpus[0], cpus[1]}}, nil)
		require.Contains(t, r.LostCPUs, 1000)
		require.Equal(t, MissingPair{1000, cpus[0], "CPU 1000 went offline"}, r.Clocks[0].MissingPairs[0])
		for i, c := range r.Clocks {
			for _, pair := range c.Pairs {
				require.Equal(t, []int{cpus[0], cpus[1]}, []int{pair.CPU, pair.OtherCPU})
				require.Len(t, c.MissingPairs, 2)
				found[i] = true
			}
		}
	}
	require.Len(t, found, 2, "the pair of the CPUs that are there, of each clock")
	r := run([]int{1000, 1001}, sound(t))
	require.Contains(t, r.Clocks[0].Reason, "1001")
	require.Empty(t, r.Clocks[0].Pairs)
}

// A clock or a pair of CPUs without time left has that as its reason.
func TestRunEndsInTime(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	slow := sound(t)
	open := slow.Open
	slow.Open = func() (clock.Reader, error) {
		time.Sleep(time.Second / 4)
		return open()
	}
	r := Run(context.Background(), []clock.Clock{slow, sound(t)},
		Settings{Time: 200 * time.Millisecond, CPUs: []int{cpus[0], cpus[1], 1000}}, nil)
	const limit = "the time limit ended the run"
	require.Contains(t, r.Clocks[0].Reason, limit)
	for _, missing := range r.Clocks[0].MissingPairs[min(1, len(r.Clocks[0].MissingPairs)):] { // a first pair is always tried
		require.Equal(t, limit+"; use a longer --duration", missing.Reason)
	}
	require.Equal(t, limit+" before it was read; use a longer --duration", r.Clocks[1].Reason)
}

func TestInterrupted(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	ctx, cancel := context.WithCancel(context.Background())
	r := Run(ctx, []clock.Clock{sound(t), sound(t)}, Settings{Time: time.Second, CPUs: cpus},
		func(_, total time.Duration) {
			require.Equal(t, time.Second, total)
			cancel()
		})
	require.NotContains(t, r.Clocks[0].Reason, "interrupted", "it was done by then")
	require.Empty(t, r.Clocks[1].Pairs)
	require.Equal(t, "interrupted before it was read", r.Clocks[1].Reason)

	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	r = Run(late, []clock.Clock{sound(t)}, Settings{Time: time.Second, CPUs: cpus}, nil)
	require.Equal(t, "the time limit ended the run before it was read; use a longer --duration", r.Clocks[0].Reason,
		"nobody interrupted it")

	start := time.Now()
	Run(ctx, []clock.Clock{sound(t)}, Settings{Time: time.Hour, CPUs: cpus}, nil)
	require.Less(t, time.Since(start), time.Minute)
}
