//go:build !linux

package watch

import (
	"context"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
)

// A sleeper sleeps.
type sleeper struct{}

func newSleeper() *sleeper { return &sleeper{} }

// sleep returns the moment of the end of a sleep, which ctx can end. This build does not know how long a thread waited for a CPU,
// so it sees no stall.
func (*sleeper) sleep(ctx context.Context, interval time.Duration) moment {
	pause(ctx, interval)
	m := now()
	m.sleptNS = int64(interval)
	return m
}

// now reads the clocks. This build knows none that counts suspend.
func now() moment {
	before := observe.Now()
	wall := time.Now()
	after := observe.Now()
	return moment{at: wall, wallNS: wall.UnixNano(), bootNS: before, monotonicNS: before, errorNS: after - before}
}

func (*sleeper) close() {}
