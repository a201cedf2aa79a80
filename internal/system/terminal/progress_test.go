package terminal

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/stretchr/testify/require"
)

// The bar stays where it is while the rest of a run takes longer.
func TestBarNeverMovesBack(t *testing.T) {
	tracker, ended := &progress.Tracker{Total: 1}, make(chan struct{})
	var lasts atomic.Int64
	lasts.Store(int64(2 * time.Hour))
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		show(tracker, time.Now().Add(-time.Hour), &lasts, ended, func(time.Duration, time.Duration) {})
	}()
	require.Eventually(t, func() bool { return tracker.Value() > 0 }, time.Minute, time.Millisecond)
	lasts.Store(int64(4 * time.Hour)) // the bar stays at half, though only a quarter is over
	require.Eventually(t, func() bool { return tracker.Value() >= int64(2*time.Hour) }, time.Minute, time.Millisecond)
	close(ended)
	<-shown
}

// A run on time takes the announced time, and a slow run longer. Fast progress does not shorten the rest.
func TestExpectedTime(t *testing.T) {
	const estimate = 10 * time.Second
	for _, test := range []struct{ elapsed, done, want time.Duration }{
		{0, 0, 10 * time.Second},
		{20 * time.Second, 0, 20 * time.Second},
		{5 * time.Second, 5 * time.Second, 10 * time.Second},
		{10 * time.Second, 5 * time.Second, 17500 * time.Millisecond},
		{18 * time.Second, 9 * time.Second, 19900 * time.Millisecond},
		{time.Second, 5 * time.Second, 6 * time.Second},
		{12 * time.Second, 11 * time.Second, 12 * time.Second},
	} {
		require.InDelta(t, test.want.Seconds(), expected(test.elapsed, test.done, estimate).Seconds(), 1e-6,
			"%+v", test)
	}
}

// An announcement that turns out to be wrong by more than a quarter is corrected. The times before and after the bar
// are part of it.
func TestAnnouncementIsCorrected(t *testing.T) {
	const s = time.Second
	said := announcement{before: s, after: s, total: 10 * s}
	for _, test := range []struct {
		elapsed, total time.Duration
		want           string
	}{
		{4 * s, 10 * s, ""},
		{5 * s, 38 * s, "This takes about 40s, not 10s: the machine is busy or slow."},
		{6 * s, 40 * s, ""},
		{39 * s, 39 * s, ""},
		{50 * s, 50 * s, "This takes about 1m5s, not 40s: the machine is busy or slow."},
		{51 * s, 51 * s, ""},
	} {
		require.Equal(t, test.want, said.corrected(test.elapsed, test.total), "%+v", test)
	}
	said.total = 40 * s
	require.Equal(t, "This takes about 22s, not 40s.", said.corrected(10*s, 20*s))
}
