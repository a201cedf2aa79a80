package observe

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
)

// opening is a clock that a test opens.
func opening(open func() (clock.Reader, error)) clock.Clock {
	return clock.Clock{ID: "fake", ReportedNS: func() float64 { return 0 }, Open: open}
}

func counting() clock.Clock {
	return opening(func() (clock.Reader, error) { return &script{next: func(i int64) int64 { return i }}, nil })
}

// free returns n threads that are not pinned.
func free(n int) []int {
	cpus := make([]int, n)
	for i := range cpus {
		cpus[i] = thread.Any
	}
	return cpus
}

func cpusOf(members []*Member) (cpus []int) {
	for _, s := range members {
		cpus = append(cpus, s.CPU)
	}
	return cpus
}

// No thread begins before all are there, and each works until its member is over.
func TestTogether(t *testing.T) {
	var opened, early atomic.Int32
	c := opening(func() (clock.Reader, error) {
		opened.Add(1)
		return &script{next: func(i int64) int64 { return i }}, nil
	})
	worked := make([]int, 5)
	r := Together(t.Context(), c, free(5), time.Millisecond, 0, func(s *Member) {
		if opened.Load() != 5 {
			early.Add(1)
		}
		for over := false; !over; over = s.Over() {
			worked[s.Index]++
		}
	})
	require.Zero(t, early.Load())
	require.Len(t, r.Ended, 5)
	for i, s := range r.Ended {
		require.Equal(t, i, s.Index)
		require.True(t, s.Sound())
		require.Positive(t, worked[i])
	}
	r.Ended = nil
	require.Equal(t, Report{}, r)
}

// However short the span is, every thread that had a CPU begins.
func TestTogetherForNoTimeAtAll(t *testing.T) {
	for range 5 {
		var worked atomic.Int32
		r := Together(t.Context(), counting(), free(3), 0, 0, func(*Member) { worked.Add(1) })
		require.Len(t, r.Ended, 3)
		require.EqualValues(t, 3, worked.Load())
	}
}

// A thread that has found enough ends the work of all threads, long before the time is up.
func TestStopEndsTheWorkOfAll(t *testing.T) {
	r := Together(t.Context(), counting(), free(3), long, 0, func(s *Member) {
		if s.Index == 1 {
			s.Stop()
			return
		}
		untilOver(t, s)
	})
	require.Len(t, r.Ended, 3)
}

func TestEndOfTheContextEndsTheWork(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	work := func(s *Member) {
		cancel()
		untilOver(t, s)
	}
	r := Together(ctx, counting(), free(3), long, 0, work)
	require.Len(t, r.Ended, 3)
	require.Empty(t, r.Late, "interrupted, and not late")
	r = Together(ctx, counting(), free(3), long, 0, func(*Member) { t.Error("it was over before") })
	require.Empty(t, r.Late)
}

func TestClockThatOneThreadCannotRead(t *testing.T) {
	unplugged := errors.New("no such device")
	var opened, worked atomic.Int32
	c := opening(func() (clock.Reader, error) {
		if opened.Add(1) == 2 {
			return nil, unplugged
		}
		return &script{next: func(i int64) int64 { return i }}, nil
	})
	for least, want := range map[int]int32{0: 2, 2: 2, 3: 0} {
		opened.Store(0)
		worked.Store(0)
		r := Together(t.Context(), c, free(3), time.Millisecond, least, func(*Member) { worked.Add(1) })
		require.Len(t, r.Ended, 3, "at least %d", least)
		require.Len(t, r.Failed, 1, "at least %d", least)
		require.ErrorIs(t, r.Failed[0].Err, unplugged)
		require.Equal(t, want, worked.Load(), "at least %d", least)
	}
}

// A clock that fails after it was opened ends only its own thread.
func TestReadThatFailsEndsTheThread(t *testing.T) {
	var opened atomic.Int32
	c := opening(func() (clock.Reader, error) {
		return &failing{script{next: func(i int64) int64 { return i }}, opened.Add(1) == 1}, nil
	})
	r := Together(t.Context(), c, free(2), time.Millisecond, 0, func(s *Member) {
		for values := make([]int64, 10); ; {
			if s.Reader.Read(values); s.Over() {
				return
			}
		}
	})
	require.Len(t, r.Ended, 2)
	require.Len(t, r.Failed, 1)
	require.False(t, r.Failed[0].Sound())
	require.ErrorIs(t, r.Failed[0].Err, errFailing)
}

var errFailing = errors.New("it was unplugged")

// failing is a Reader whose reads fail from the tenth on.
type failing struct {
	script
	fails bool
}

func (f *failing) Err() error {
	if f.fails && f.reads >= 10 {
		return errFailing
	}
	return nil
}

// The others do not wait for a CPU that is not there.
func TestCPUThatIsNotThere(t *testing.T) {
	cpus := twoCPUs(t)
	for least, want := range map[int]int32{0: 2, 3: 0} {
		var worked atomic.Int32
		r := Together(t.Context(), counting(), []int{cpus[0], 1000, cpus[1]}, time.Millisecond, least,
			func(*Member) { worked.Add(1) })
		require.Equal(t, []int{1000}, r.Gone)
		require.Equal(t, []int{cpus[0], 1000, cpus[1]}, cpusOf(r.Ended))
		require.Equal(t, want, worked.Load())
		require.Empty(t, r.Failed, "the clock is not to blame")
	}
}

// A thread that gets no CPU is left behind, and the others end. Here a thread is held up in its work or before it.
func TestThreadThatDoesNotComeIsLeftBehind(t *testing.T) {
	for _, during := range []string{"opening", "work"} {
		t.Run(during, func(t *testing.T) {
			t.Parallel()
			cpus := twoCPUs(t)
			held := make(chan struct{})
			defer close(held)
			hold := func(now string) {
				if now == during && thread.Current() == cpus[1] {
					<-held
				}
			}
			c := opening(func() (clock.Reader, error) {
				hold("opening")
				return &script{next: func(i int64) int64 { return i }}, nil
			})
			var worked atomic.Int32
			var r Report
			need.Ends(t, "what waits for it", func() {
				r = Together(t.Context(), c, cpus, time.Millisecond, 0, func(*Member) {
					worked.Add(1)
					hold("work")
				})
			})
			require.Equal(t, []int{cpus[1]}, r.Late)
			require.Equal(t, []int{cpus[0]}, cpusOf(r.Ended))
			require.Equal(t, map[string]int32{"opening": 1, "work": 2}[during], worked.Load())
		})
	}
}

func TestWhyEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	late, stop := context.WithTimeout(ctx, 0)
	defer stop()
	<-late.Done()
	for _, c := range []context.Context{ctx, late} {
		require.Equal(t, "the time limit ended the run before the end; use a longer --duration",
			WhyEnded(c, " before the end"))
	}
	cancel()
	require.Equal(t, "interrupted", WhyEnded(ctx, ""))
}
