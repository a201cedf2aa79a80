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

// A fakeTeam works in no time, on any CPU that has not gone away.
type fakeTeam struct {
	meeting gate
	starts  int
	// gone returns the CPU that is away at the i-th start of the team.
	gone     func(i int) int
	brokenBy func(i int) error
	// fails returns the error of a worker in a pass of n workers; nil for no errors.
	fails      func(c clock.Clock, n int) error
	err        error
	affinities []affinity // of the last start
}

func (f *fakeTeam) gate() *gate { return &f.meeting }

func (f *fakeTeam) start(c clock.Clock, p pace, n int, at func(i int) affinity) error {
	f.starts++
	f.affinities, f.err = nil, nil
	if f.fails != nil {
		f.err = f.fails(c, n)
	}
	for i := range n {
		f.affinities = append(f.affinities, at(i))
		if at(i).Pin != thread.Any && at(i).Pin == f.gone(f.starts) {
			f.err = errors.Join(f.err, &lostCPU{at(i).Pin, nil})
		}
		f.meeting.slots[i].reads.Store(int64(p.Chunk))
		f.meeting.absent()
	}
	return nil
}

func (f *fakeTeam) wait() error {
	for i := range f.affinities {
		f.meeting.slots[i].endNS.Store(observe.Now())
	}
	return f.err
}

func (f *fakeTeam) rest() {}

func (f *fakeTeam) broken() error {
	if f.brokenBy == nil {
		return nil
	}
	return f.brokenBy(f.starts)
}

func (f *fakeTeam) close() {}

func never(int) int { return thread.Any }

// losing returns a run on four CPUs with a fake team.
func losing(t *testing.T, s Settings, team team, usable func([]int) []int) Result {
	t.Helper()
	return running(t, &runner{settings: s, team: team, usable: usable, now: observe.Now})
}

// running returns the result of a runner on four CPUs, of two clocks.
func running(t *testing.T, r *runner) Result {
	t.Helper()
	s := &r.settings
	s.CPUs, s.places, s.Rounds, s.Time = 4, []int{0, 1, 2, 3}, 10, 20*time.Millisecond
	if r.ctx == nil {
		r.ctx = context.Background()
	}
	for _, id := range []string{"a", "b"} {
		r.subjects = append(r.subjects, &subject{clock: scripted(id, count)})
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
	team := &fakeTeam{gone: func(i int) int {
		if i < 20 {
			return thread.Any
		}
		return 3
	}}
	measured := losing(t, Settings{Threads: []int{1, 4}, Pin: four(nil)}, team, four)
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
	team := &fakeTeam{gone: func(i int) int {
		if i >= 8 {
			usable = []int{0, 1}
			return 2
		}
		return thread.Any
	}}
	measured := losing(t, Settings{Threads: []int{1}, Pin: []int{2, 3}}, team, func([]int) []int { return usable })
	require.Equal(t, []int{2, 3}, measured.Conditions.LostCPUs)
	for _, c := range measured.Clocks {
		require.True(t, c.Available, c.Reason)
		require.NotEmpty(t, c.Throughput)
	}
	require.Equal(t, 8, team.starts)
}

// A run that is not pinned uses the CPUs that exist, and marks results with less than one CPU
// for each thread.
func TestFreeRunSeesACPUGo(t *testing.T) {
	team := &fakeTeam{gone: never}
	measured := losing(t, Settings{Threads: []int{1, 4}}, team, func([]int) []int { return []int{0, 1, 2} })
	require.Equal(t, []int{3}, measured.Conditions.LostCPUs)
	for _, c := range measured.Clocks {
		require.True(t, of(t, c, 4).Oversubscribed)
		require.False(t, of(t, c, 1).Oversubscribed)
	}
	for _, at := range team.affinities {
		require.NotEqual(t, 3, at.Begin)
	}
}

// A killed worker process is not a fault of the clocks.
func TestBrokenCrewKeepsWhatWasMeasured(t *testing.T) {
	killed := errors.New("worker process 0 ended: signal: killed")
	team := &fakeTeam{gone: never, brokenBy: func(i int) error {
		if i < 7 {
			return nil
		}
		return killed
	}}
	measured := losing(t, Settings{Threads: []int{1}}, team, four)
	require.ErrorIs(t, measured.Spoilt, killed)
	require.Equal(t, 7, team.starts)
	for _, c := range measured.Clocks {
		require.True(t, c.Available, c.Reason)
		require.Len(t, c.Latency.SamplesNS, 10)
		require.NotEmpty(t, c.Throughput)
	}
}

// A thread of the team that cannot be pinned reports that for every assignment, and delays no
// other thread.
func TestThreadsNameTheCPUThatIsNotThere(t *testing.T) {
	team := newThreads()
	defer team.close()
	for range 2 {
		team.gate().reset(2)
		seat := func(i int) affinity { return affinity{[]int{thread.Any, 1000}[i], thread.Any} }
		c := scripted("any", count)
		require.NoError(t, team.start(c, pace{Chunk: 1, Slice: 1, Check: 1}, 2, seat))
		team.gate().open(context.Background(), 2)
		team.gate().stop.Store(1)
		var gone *lostCPU
		require.ErrorAs(t, team.wait(), &gone)
		require.Equal(t, 1000, gone.cpu)
	}
}

// A thread that gets no CPU, here because a read blocks, is abandoned. The team can continue
// with another gate, which that thread does not use.
func TestThreadsLeaveBehindTheOneThatDoesNotEnd(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	for name, pins := range map[string][]int{"pinned": cpus, "free": {thread.Any, thread.Any}} {
		t.Run(name, func(t *testing.T) {
			held := make(chan struct{})
			team := newThreads()
			defer team.close()
			defer close(held)
			pass := func(c clock.Clock) error {
				team.gate().reset(2)
				at := func(i int) affinity { return affinity{pins[i], thread.Any} }
				require.NoError(t, team.start(c, pace{Chunk: 1, Slice: 1, Check: 1, SpanNS: int64(time.Hour)}, 2, at))
				team.gate().open(context.Background(), 2)
				team.gate().stop.Store(1)
				return team.wait()
			}
			sound := scripted("sound", count)
			require.NoError(t, pass(sound))
			before := team.gate()
			team.patience = func(int) time.Duration { return 200 * time.Millisecond }
			err := pass(fake("held", func() (clock.Reader, error) {
				holds := name == "free" || thread.Current() == cpus[1]
				return spinner(func(int) {
					if holds {
						<-held
					}
				}), nil
			}))
			require.NotSame(t, before, team.gate())
			var gone *lostCPU
			if name == "free" {
				require.EqualError(t, first(err), "a thread got no time on any CPU for 200 ms")
			} else {
				require.EqualError(t, err, fmt.Sprintf("a thread got no time on CPU %d for 200 ms", cpus[1]))
				require.ErrorAs(t, err, &gone)
				require.Equal(t, cpus[1], gone.cpu)
			}
			require.NoError(t, team.broken(), "it has other threads")
			team.rest() // does not wait for it
			team.patience = patience
			require.NoError(t, pass(sound))
		})
	}
}
