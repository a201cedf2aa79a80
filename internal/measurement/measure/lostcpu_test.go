package measure

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/planted"
)

// A fakeCrew works in no time, on any CPU that has not gone away.
type fakeCrew struct {
	meeting gate
	starts  int
	// gone returns the CPU that is away at the i-th start of the crew.
	gone     func(i int) int
	brokenBy func(i int) error
	// fails returns the error of a worker in a pass of n workers; nil for no errors.
	fails func(c clock.Clock, n int) error
	err   error
	seats []seat // of the last start
}

func (f *fakeCrew) gate() *gate { return &f.meeting }

func (f *fakeCrew) start(c clock.Clock, p pace, n int, at func(i int) seat) error {
	f.starts++
	f.seats, f.err = nil, nil
	if f.fails != nil {
		f.err = f.fails(c, n)
	}
	for i := range n {
		f.seats = append(f.seats, at(i))
		if at(i).Pin != thread.Any && at(i).Pin == f.gone(f.starts) {
			f.err = errors.Join(f.err, &lostCPU{at(i).Pin, nil})
		}
		f.meeting.slots[i].reads.Store(int64(p.Chunk))
		f.meeting.absent()
	}
	return nil
}

func (f *fakeCrew) wait() error {
	for i := range f.seats {
		f.meeting.slots[i].endNS.Store(observe.Now())
	}
	return f.err
}

func (f *fakeCrew) rest() {}

func (f *fakeCrew) broken() error {
	if f.brokenBy == nil {
		return nil
	}
	return f.brokenBy(f.starts)
}

func (f *fakeCrew) close() {}

func never(int) int { return thread.Any }

// losing returns a run on four CPUs with a fake crew.
func losing(t *testing.T, s Settings, crew crew, usable func([]int) []int) Result {
	t.Helper()
	return running(t, &runner{settings: s, crew: crew, usable: usable, now: observe.Now})
}

// running returns the result of a runner on four CPUs, of two clocks.
func running(t *testing.T, r *runner) Result {
	t.Helper()
	s := &r.settings
	s.CPUs, s.places, s.Rounds, s.Time = 4, []int{0, 1, 2, 3}, 10, 20*time.Millisecond
	r.ctx = context.Background()
	for _, id := range []string{"a", "b"} {
		r.subjects = append(r.subjects, &subject{clock: scripted(id, func(i int64) int64 { return i })})
	}
	r.noise.begin()
	require.NoError(t, thread.Run(thread.Any, r.run))
	r.noise.end()
	return r.result()
}

func four([]int) []int { return []int{0, 1, 2, 3} }

func of(t *testing.T, c compare.Clock, threads int) compare.Throughput {
	t.Helper()
	for _, one := range c.Throughput {
		if one.Threads == threads {
			return one
		}
	}
	t.Fatalf("%s has nothing at %d threads", c.ID, threads)
	return compare.Throughput{}
}

// A CPU that goes offline during a pinned run costs one pass, not the run.
func TestPinnedRunGoesOnWithTheCPUsThatAreLeft(t *testing.T) {
	crew := &fakeCrew{gone: func(i int) int {
		if i < 20 {
			return thread.Any
		}
		return 3
	}}
	measured := losing(t, Settings{Threads: []int{1, 4}, Pin: four(nil)}, crew, four)
	require.Equal(t, []int{3}, measured.Conditions.LostCPUs)
	require.NoError(t, measured.Spoilt)
	for _, c := range measured.Clocks {
		require.True(t, c.Available, c.Reason)
		require.Len(t, c.Latency.SamplesNS, 10)
		require.Len(t, of(t, c, 1).SamplesReadsPerSecond, passesPerMeasurement, "one thread has its CPU still")
		beside := of(t, c, 4)
		require.NotEmpty(t, beside.SamplesReadsPerSecond)
		require.Less(t, len(beside.SamplesReadsPerSecond), passesPerMeasurement)
		require.False(t, beside.Oversubscribed, "what was measured on three CPUs is not mixed with that on four")
	}
}

func TestRunWhosePinnedCPUsAllWentKeepsWhatItHas(t *testing.T) {
	usable := four(nil)
	crew := &fakeCrew{gone: func(i int) int {
		if i >= 4 {
			usable = []int{0, 1}
			return 2
		}
		return thread.Any
	}}
	measured := losing(t, Settings{Threads: []int{1}, Pin: []int{2, 3}}, crew, func([]int) []int { return usable })
	require.Equal(t, []int{2, 3}, measured.Conditions.LostCPUs)
	for _, c := range measured.Clocks {
		require.True(t, c.Available, c.Reason)
		require.NotEmpty(t, c.Throughput)
	}
	require.Equal(t, 4, crew.starts)
}

// A run that is not pinned uses the CPUs that exist, and marks results with less than one CPU
// for each thread.
func TestFreeRunSeesACPUGo(t *testing.T) {
	crew := &fakeCrew{gone: never}
	measured := losing(t, Settings{Threads: []int{1, 4}}, crew, func([]int) []int { return []int{0, 1, 2} })
	require.Equal(t, []int{3}, measured.Conditions.LostCPUs)
	for _, c := range measured.Clocks {
		require.True(t, of(t, c, 4).Oversubscribed)
		require.False(t, of(t, c, 1).Oversubscribed)
	}
	for _, seat := range crew.seats {
		require.NotEqual(t, 3, seat.Begin)
	}
}

// A killed worker process is not a fault of the clocks.
func TestBrokenCrewKeepsWhatWasMeasured(t *testing.T) {
	killed := errors.New("worker process 0 ended: signal: killed")
	crew := &fakeCrew{gone: never, brokenBy: func(i int) error {
		if i < 5 {
			return nil
		}
		return killed
	}}
	measured := losing(t, Settings{Threads: []int{1}}, crew, four)
	require.ErrorIs(t, measured.Spoilt, killed)
	require.Equal(t, 5, crew.starts)
	for _, c := range measured.Clocks {
		require.True(t, c.Available, c.Reason)
		require.Len(t, c.Latency.SamplesNS, 10)
		require.NotEmpty(t, c.Throughput)
	}
}

// A thread of the crew that cannot be pinned reports that for every assignment, and delays no
// other thread.
func TestThreadsNameTheCPUThatIsNotThere(t *testing.T) {
	crew := newThreads()
	defer crew.close()
	for range 2 {
		crew.gate().reset(2)
		seat := func(i int) seat { return seat{[]int{thread.Any, 1000}[i], thread.Any} }
		c := scripted("any", func(i int64) int64 { return i })
		require.NoError(t, crew.start(c, pace{Chunk: 1, Slice: 1, Look: 1}, 2, seat))
		crew.gate().open(context.Background(), 2)
		crew.gate().stop.Store(1)
		var gone *lostCPU
		require.ErrorAs(t, crew.wait(), &gone)
		require.Equal(t, 1000, gone.cpu)
	}
}

// A thread that gets no CPU, here because a read blocks, is abandoned. The crew can continue
// with another gate, which that thread does not use.
func TestThreadsLeaveBehindTheOneThatDoesNotEnd(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	for name, pins := range map[string][]int{"pinned": cpus, "free": {thread.Any, thread.Any}} {
		t.Run(name, func(t *testing.T) {
			held := make(chan struct{})
			crew := newThreads()
			defer crew.close()
			defer close(held)
			pass := func(c clock.Clock) error {
				crew.gate().reset(2)
				at := func(i int) seat { return seat{pins[i], thread.Any} }
				require.NoError(t, crew.start(c, pace{Chunk: 1, Slice: 1, Look: 1, SpanNS: int64(time.Hour)}, 2, at))
				crew.gate().open(context.Background(), 2)
				crew.gate().stop.Store(1)
				return crew.wait()
			}
			sound := scripted("sound", func(i int64) int64 { return i })
			require.NoError(t, pass(sound))
			before := crew.gate()
			crew.patience = func(int) time.Duration { return 200 * time.Millisecond }
			err := pass(fake("held", func() (clock.Reader, error) {
				holds := name == "free" || thread.Current() == cpus[1]
				return spinner(func(int) {
					if holds {
						<-held
					}
				}), nil
			}))
			require.NotSame(t, before, crew.gate())
			var gone *lostCPU
			if name == "free" {
				require.EqualError(t, first(err), "a thread got no time on any CPU for 200 ms")
			} else {
				require.EqualError(t, err, fmt.Sprintf("a thread got no time on CPU %d for 200 ms", cpus[1]))
				require.ErrorAs(t, err, &gone)
				require.Equal(t, cpus[1], gone.cpu)
			}
			require.NoError(t, crew.broken(), "it has other threads")
			crew.rest() // does not wait for it
			crew.patience = patience
			require.NoError(t, pass(sound))
		})
	}
}
