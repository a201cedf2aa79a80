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
		show(tracker, time.Now().Add(-time.Hour), &lasts, ended)
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
