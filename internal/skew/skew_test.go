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
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/test/need"
)

// A planted is a reader of a real counter, ahead by so many ticks.
type planted struct {
	clock.Reader
	ahead  int64
	fails  func() error
	before func()
}

func (p planted) Read(ticks []int64) {
	if p.before != nil {
		p.before()
	}
	p.Reader.Read(ticks)
	for i := range ticks {
		ticks[i] += p.ahead
	}
}

func (p planted) Err() error {
	if p.fails == nil {
		return nil
	}
	return p.fails()
}

// counter is a clock that is cheap to read, and ahead by so much on a CPU.
func counter(t *testing.T, faulty int, aheadNS float64) clock.Clock {
	t.Helper()
	for _, c := range clock.Catalog() {
		hz := measure.Hz(c, 20*time.Millisecond)
		if c.Kind != clock.Counter || hz == 0 {
			continue
		}
		open := c.Open
		c.ID, c.Hz = "counter@fake", hz
		c.Open = func() (clock.Reader, error) {
			reader, err := open()
			ahead := int64(0)
			if thread.Current() == faulty {
				ahead = int64(aheadNS * hz / 1e9)
			}
			return planted{Reader: reader, ahead: ahead}, err
		}
		return c
	}
	need.Missing(t, "counter", "no counter of the CPU can be read")
	return clock.Clock{}
}

func two(t *testing.T) []int {
	t.Helper()
	usable := thread.Usable()
	if len(usable) < 2 {
		need.Missing(t, "cpus", "one CPU only")
	}
	if err := thread.Pinnable(usable); err != nil {
		need.Missing(t, "pinning", err.Error())
	}
	return usable[:2]
}

func run(cpus []int, clocks ...clock.Clock) result.Skew {
	return Run(context.Background(), clocks, Settings{Time: time.Duration(len(clocks)) * 500 * time.Millisecond, CPUs: cpus}, nil)
}

// What is planted lies within the bound of what is found, whatever its size and sign.
func TestOffsetIsFoundWithinItsBound(t *testing.T) {
	cpus := two(t)
	for _, planted := range []float64{0, 300, -300, 100_000, -1e9} {
		for side, sign := range map[int]float64{0: -1, 1: 1} {
			r := run(cpus, counter(t, cpus[side], planted))
			require.Len(t, r.Clocks[0].Pairs, 1, r.Clocks[0].Reason)
			p := r.Clocks[0].Pairs[0]
			require.Equal(t, [2]int{cpus[0], cpus[1]}, [2]int{p.CPU, p.OtherCPU})
			require.Positive(t, p.Rounds)
			require.Positive(t, p.BoundNS)
			require.InDelta(t, sign*planted, p.OffsetNS, p.BoundNS)
			require.Greater(t, p.BoundNS, p.RoundTripNS/2)
			if math.Abs(planted) > 2*p.BoundNS {
				require.True(t, p.Apart())
			}
			t.Logf("of %v ns: %.1f ± %.1f, round trip %.1f in %d rounds", sign*planted, p.OffsetNS, p.BoundNS, p.RoundTripNS, p.Rounds)
		}
	}
}

func TestFiguresRepeatWithinTheirBounds(t *testing.T) {
	cpus := two(t)
	var last *result.CPUPair
	for range 10 {
		p := run(cpus, counter(t, cpus[1], 250)).Clocks[0].Pairs[0]
		if last != nil {
			require.InDelta(t, last.OffsetNS, p.OffsetNS, last.BoundNS+p.BoundNS)
		}
		last = &p
	}
}

func TestPairs(t *testing.T) {
	require.Equal(t, [][2]int{{3, 5}, {3, 1}, {5, 1}}, pairs([]int{3, 5, 1}))
	cpus := make([]int, MatrixCPUs+1)
	for i := range cpus {
		cpus[i] = i
	}
	require.Len(t, pairs(cpus[:MatrixCPUs]), MatrixCPUs*(MatrixCPUs-1)/2)
	require.Len(t, pairs(cpus), MatrixCPUs)
	require.Empty(t, pairs(cpus[:1]))
}

func TestWhatCannotBeCompared(t *testing.T) {
	cpus := two(t)
	none := counter(t, 0, 0)
	none.Open = func() (clock.Reader, error) { return nil, errors.New("this machine has none") }
	own := counter(t, 0, 0)
	own.Kind = clock.CPUTime
	var reads atomic.Int64
	failing := counter(t, 0, 0)
	open := failing.Open
	failing.Open = func() (clock.Reader, error) {
		reader, err := open()
		return planted{Reader: reader, fails: func() error {
			if reads.Add(1) > 5 {
				return errors.New("no such device")
			}
			return nil
		}}, err
	}
	r := run(cpus, none, own, failing)
	require.Equal(t, "this machine has none", r.Clocks[0].Reason)
	require.Equal(t, "CPU time is a thread's or a process's, not a CPU's", r.Clocks[1].Reason)
	require.Equal(t, "no such device", r.Clocks[2].Reason)
	for _, c := range r.Clocks {
		require.Empty(t, c.Pairs)
	}
}

// A coarse clock's bound is its tick, whatever the round trip.
func TestBoundOfACoarseClock(t *testing.T) {
	cpus := two(t)
	c := counter(t, 0, 0)
	c.ReportedNS = func() float64 { return 4e6 }
	r := run(cpus, c)
	require.GreaterOrEqual(t, r.Clocks[0].Pairs[0].BoundNS, 4e6)
}

func TestCPUThatIsGone(t *testing.T) {
	cpus := two(t)
	r := run([]int{cpus[0], 1000, cpus[1]}, counter(t, 0, 0), counter(t, 0, 0))
	require.Equal(t, []int{1000}, r.LostCPUs)
	require.Equal(t, "CPU 1000 went away, or had no time", r.Clocks[0].Reason)
	for _, c := range r.Clocks {
		require.Len(t, c.Pairs, 1)
		require.Equal(t, cpus[1], c.Pairs[0].OtherCPU)
	}
	r = run([]int{1000, 1001}, counter(t, 0, 0))
	require.Contains(t, r.Clocks[0].Reason, "1001")
	require.Empty(t, r.Clocks[0].Pairs)
}

// A thread whose reads do not come back is left behind.
func TestThreadThatDoesNotComeIsLeftBehind(t *testing.T) {
	cpus := two(t)
	block := make(chan struct{})
	defer close(block)
	c := counter(t, 0, 0)
	open := c.Open
	var opened atomic.Int32
	c.Open = func() (clock.Reader, error) {
		reader, err := open()
		// The first ones are for trying it.
		blocked := opened.Add(1) > 3 && thread.Current() == cpus[1]
		return planted{Reader: reader, before: func() {
			if blocked {
				<-block
			}
		}}, err
	}
	r := run(cpus, c)
	require.Equal(t, []int{cpus[1]}, r.LostCPUs)
	require.Empty(t, r.Clocks[0].Pairs)
}

func TestPairWithoutATurnSaysSo(t *testing.T) {
	cpus := two(t)
	c := counter(t, 0, 0)
	open := c.Open
	c.Open = func() (clock.Reader, error) {
		reader, err := open()
		return planted{Reader: reader, before: func() { time.Sleep(time.Millisecond) }}, err
	}
	r := Run(context.Background(), []clock.Clock{c}, Settings{Time: time.Millisecond, CPUs: cpus}, nil)
	require.Empty(t, r.Clocks[0].Pairs)
	require.Contains(t, r.Clocks[0].Reason, "take a longer time")
}

func TestInterrupted(t *testing.T) {
	cpus := two(t)
	ctx, cancel := context.WithCancel(context.Background())
	r := Run(ctx, []clock.Clock{counter(t, 0, 0), counter(t, 0, 0)}, Settings{Time: 100 * time.Millisecond, CPUs: cpus}, func(_, total time.Duration) {
		require.Equal(t, 100*time.Millisecond, total)
		cancel()
	})
	require.Len(t, r.Clocks[0].Pairs, 1)
	require.Empty(t, r.Clocks[1].Pairs)
	require.Equal(t, "interrupted before it was read", r.Clocks[1].Reason)

	start := time.Now()
	Run(ctx, []clock.Clock{counter(t, 0, 0)}, Settings{Time: time.Hour, CPUs: cpus}, nil)
	require.Less(t, time.Since(start), time.Minute)
}

// The machine's own clocks are in step, as far as this can tell.
func TestRealClocks(t *testing.T) {
	cpus := two(t)
	r := Run(context.Background(), clock.Default(), Settings{Time: 2 * time.Second, CPUs: cpus}, nil)
	require.Positive(t, r.DurationNS)
	compared := 0
	for _, c := range r.Clocks {
		for _, p := range c.Pairs {
			require.False(t, p.Apart(), "%s: %+v", c.ID, p)
			compared++
		}
	}
	require.Positive(t, compared)
}
