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
func losing(t *testing.T, s Settings, team team) Result {
	t.Helper()
	return running(t, &runner{settings: s, team: team, now: observe.Now})
}

// running returns the result of a runner on four CPUs, of two clocks.
func running(t *testing.T, r *runner) Result {
	t.Helper()
	s := &r.settings
	s.CPU.Usable, s.places, s.Rounds, s.Time = 4, []int{0, 1, 2, 3}, 10, 20*time.Millisecond
	if r.ctx == nil {
		r.ctx = context.Background()
	}
	for _, id := range []string{"a", "b"} {
		r.subjects = append(r.subjects, &subject{clock: scripted(id, count)})
	}
	r.noise.begin()
	require.NoError(t, thread.Run(s.cpu(0), r.run))
	r.noise.end()
	return r.result()
}

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

// A CPU of a pinned run that goes offline, or has no time, and a worker process that is killed, end the run: it keeps
// the complete figures, and no clock is at fault.
func TestLostCPUOrWorkerEndsTheRun(t *testing.T) {
	here := thread.Usable()[:1]
	if thread.Pinnable(here) != nil {
		t.Skip("this build cannot pin threads")
	}
	killed := errors.New("worker process 0 ended: signal: killed")
	for want, team := range map[string]*fakeTeam{
		"CPU 1000 went away": {gone: func(i int) int {
			if i < 20 {
				return thread.Any
			}
			return 1000
		}},
		killed.Error(): {gone: never, brokenBy: func(i int) error {
			if i < 20 {
				return nil
			}
			return killed
		}},
	} {
		measured := losing(t, Settings{Threads: []int{1, 2}, Pin: append(here, 1000)}, team)
		require.EqualError(t, measured.EndedBy, want)
		require.Less(t, team.starts, 60)
		require.Less(t, measured.Conditions.CompleteRounds, 10)
		for _, c := range measured.Clocks {
			require.True(t, c.Available, c.Reason)
			require.NotEmpty(t, c.Latency.SamplesNS)
			require.NotEmpty(t, of(t, c, 1).SamplesReadsPerSecond)
		}
		for _, p := range measured.Conditions.Passes {
			require.Equal(t, []string{want}, p.Reasons)
		}
	}
}

// A thread of the team that cannot be pinned reports that for every assignment, and delays no
// other thread.
func TestThreadsNameTheCPUThatIsNotThere(t *testing.T) {
	team := newThreads()
	defer team.close()
	for range 2 {
		team.gate().reset(2)
		at := func(i int) affinity { return affinity{[]int{thread.Any, 1000}[i], thread.Any} }
		c := scripted("any", count)
		require.NoError(t, team.start(c, pace{Chunk: 1, Slice: 1, Check: 1}, 2, at))
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
			if name == "free" {
				require.ErrorContains(t, err, "a thread got no time on any CPU for 200 ms")
			} else {
				require.ErrorContains(t, err, fmt.Sprintf("a thread got no time on CPU %d for 200 ms", cpus[1]))
			}
			require.NoError(t, team.broken(), "it has other threads")
			team.rest() // does not wait for it
			team.patience = patience
			require.NoError(t, pass(sound))
		})
	}
}
