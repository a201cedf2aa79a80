package measure

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/planted"
)

// A fakeTeam works in no time.
type fakeTeam struct {
	meeting gate
	passes  int
	// fails returns the failure of the last of n workers; it may be nil. If that costs more than a figure, the other
	// workers fail too, and their failures cost a figure.
	fails  func(c clock.Clock, n int) *failure
	failed *failure
}

func (f *fakeTeam) gate() *gate { return &f.meeting }

func (f *fakeTeam) start(i int, c clock.Clock, p pace, _ affinity, done func(*failure)) {
	n := int(f.meeting.expected.Load())
	if i == 0 {
		f.passes++
		if f.failed = nil; f.fails != nil {
			f.failed = f.fails(c, n)
		}
	}
	f.meeting.slots[i].reads.Store(int64(p.Chunk))
	f.meeting.slots[i].endNS.Store(observe.Now() + int64(time.Hour)) // after the gate is opened
	f.meeting.absent()
	switch {
	case f.failed == nil || i == n-1:
		done(f.failed)
	case f.failed.Cost > aFigure:
		done(&failure{"another worker", aFigure})
	default:
		done(nil)
	}
}

func (f *fakeTeam) late(int, affinity, string) *failure { return nil }

func (f *fakeTeam) keep(int) {}

func (f *fakeTeam) close() {}

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
	r.noise.Recorder = *Record()
	require.NoError(t, thread.Run(s.cpu(0), r.run))
	r.noise.end()
	return r.result()
}

// sampleCounts returns the numbers of samples of a clock, by number of threads.
func sampleCounts(c compare.Clock) map[int]int {
	all := map[int]int{}
	for _, one := range c.Throughput {
		all[one.Threads] = len(one.SamplesReadsPerSecond)
	}
	return all
}

// A failure of a worker costs clock a a figure or all figures, or ends the run; otherwise b keeps its figures. Add a
// row for each failure with another cost.
func TestWhatAFailureCosts(t *testing.T) {
	const all = passesPerMeasurement
	for name, test := range map[string]struct {
		failure failure
		threads int // of the passes that fail
		from    int // the first of these passes
		a, b    map[int]int
		passes  []result.Passes
		starts  int
	}{
		"a late worker": {failure{"a thread got no time on any CPU for 2.04s", aFigure}, 4, 1,
			map[int]int{1: all, 2: all}, map[int]int{1: all, 2: all, 4: all},
			[]result.Passes{{Threads: 4, Planned: 2 * all, Complete: all,
				Reasons: []string{"a: a thread got no time on any CPU for 2.04s"}}}, 5*all + 1},
		"after some passes": {failure{"too many open files", aFigure}, 2, 8, map[int]int{1: all, 2: 7, 4: all},
			map[int]int{1: all, 2: all, 4: all}, []result.Passes{{Threads: 2, Planned: 2 * all, Complete: all + 7,
				Reasons: []string{"a: too many open files"}}}, 5*all + 8},
		"a read that fails": {failure{errUnplugged.Error(), theClock}, 2, 1, map[int]int{},
			map[int]int{1: all, 2: all, 4: all}, []result.Passes{}, 0},
		"a CPU, or a worker process": {failure{"CPU 1000 went away", theRun}, 4, 2, nil, nil, nil, 0},
	} {
		seen := 0
		team := &fakeTeam{fails: func(c clock.Clock, n int) *failure {
			if c.ID == "a" && n == test.threads {
				if seen++; seen >= test.from {
					return &test.failure
				}
			}
			return nil
		}}
		measured := running(t, &runner{settings: Settings{Threads: []int{1, 2, 4}}, team: team, now: observe.Now})
		a, b := measured.Clocks[0], measured.Clocks[1]
		require.NotNil(t, b.Resolution, name)
		if test.failure.Cost == theRun {
			require.EqualError(t, measured.EndedBy, test.failure.Reason)
			require.Less(t, measured.Conditions.CompleteRounds, 10)
			for _, c := range measured.Clocks {
				require.True(t, c.Available, c.Reason)
				require.NotEmpty(t, c.Latency.SamplesNS)
				require.Positive(t, sampleCounts(c)[1])
			}
			for _, p := range measured.Conditions.Passes {
				require.Equal(t, []string{test.failure.Reason}, p.Reasons)
			}
			continue
		}
		require.NoError(t, measured.EndedBy, name)
		require.Equal(t, test.a, sampleCounts(a), name)
		require.Equal(t, test.b, sampleCounts(b), name)
		require.Equal(t, test.passes, noteworthy(measured.Conditions.Passes), name)
		require.Len(t, b.Latency.SamplesNS, 10, name)
		if test.failure.Cost == theClock {
			require.Equal(t, "failed while it was read: no such device", a.Reason)
			continue
		}
		require.Len(t, a.Latency.SamplesNS, 10, name)
		require.Equal(t, test.starts, team.passes, "%s: it is not tried again", name)
	}
}

// pass has workers read a clock, and stops them at once.
func pass(ctx context.Context, team team, c clock.Clock, patience time.Duration, at ...affinity) *failure {
	workers := assign(team, c, pace{Chunk: 100, Slice: 1, SpanNS: int64(time.Hour)}, at)
	team.gate().open(ctx, len(at))
	team.gate().stop.Store(1)
	return workers.wait(patience)
}

// A thread of the team that cannot be pinned reports that for every assignment, and delays no
// other thread.
func TestThreadsNameTheCPUThatIsNotThere(t *testing.T) {
	team := newThreads()
	defer team.close()
	for range 2 {
		failed := pass(t.Context(), team, scripted("any", count), patience(2), affinity{thread.Any, thread.Any},
			affinity{1000, thread.Any})
		require.Contains(t, failed.Reason, "CPU 1000 can no longer be used: ")
		require.Equal(t, theRun, failed.Cost)
	}
}

// A thread that gets no CPU, here because a read blocks, is abandoned. The team can continue
// with another gate, which that thread does not use.
func TestThreadsLeaveBehindTheOneThatDoesNotEnd(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	for name, test := range map[string]struct {
		pins []int
		want failure
	}{
		"pinned": {cpus, failure{fmt.Sprintf("a thread got no time on CPU %d for 200 ms", cpus[0]), theRun}},
		"free":   {[]int{thread.Any, thread.Any}, failure{"a thread got no time on any CPU for 200 ms", aFigure}},
	} {
		t.Run(name, func(t *testing.T) {
			held := make(chan struct{})
			team := newThreads()
			defer team.close()
			defer close(held)
			at := []affinity{{test.pins[0], thread.Any}, {test.pins[1], thread.Any}}
			sound := scripted("sound", count)
			require.Nil(t, pass(t.Context(), team, sound, patience(2), at...))
			before := team.gate()
			failed := pass(t.Context(), team, fake("held", func() (clock.Reader, error) {
				holds := name == "free" || thread.Current() == cpus[0] // the first: the other may be late too
				return spinner(func(int) {
					if holds {
						<-held
					}
				}), nil
			}), 200*time.Millisecond, at...)
			require.NotSame(t, before, team.gate())
			require.Equal(t, &test.want, failed)
			team.keep(0) // does not wait for it
			require.Nil(t, pass(t.Context(), team, sound, patience(2), at...))
		})
	}
}
