//go:build !linux && !windows

package watch

import (
	"context"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
)

const suspendSeenBy = "" // this build sees none

// A sleeper sleeps. This build does not know how long a thread waited for a CPU, so it sees no stall.
type sleeper struct{}

// sleep sleeps, at most until ctx ends, and returns the moment of its end.
func (*sleeper) sleep(ctx context.Context, interval time.Duration) moment {
	observe.Sleep(ctx, interval)
	m := now()
	m.sleptNS = int64(interval)
	return m
}

// now reads the clocks. This build knows no clock that counts suspend.
func now() moment {
	m := moment{at: time.Now(), wall: observe.WallClock()}
	m.boot = observe.Bracket{Low: m.wall.Low, Value: m.wall.Low, High: m.wall.Low}
	return m
}
