package observe

import (
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
	for range 20 {
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

// The others do not wait for a thread that gets no CPU: here it is held up before the work. The tests of verify hold one
// up in its work.
func TestThreadThatDoesNotComeIsLeftBehind(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	defer close(held)
	var opened, worked atomic.Int32
	c := opening(func() (clock.Reader, error) {
		if opened.Add(1) == 2 {
			<-held
		}
		return &script{next: func(i int64) int64 { return i }}, nil
	})
	var r Report
	need.Ends(t, "what waits for it", func() {
		r = Together(t.Context(), c, free(2), time.Millisecond, 0, func(*Member) { worked.Add(1) })
	})
	require.Equal(t, []int{thread.Any}, r.Late)
	require.Len(t, r.Ended, 1)
	require.EqualValues(t, 1, worked.Load())
}
