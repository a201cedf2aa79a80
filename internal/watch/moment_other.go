//go:build !linux && !windows

package watch

import (
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
)

const suspendSeenBy = "" // this build sees none

// This build does not know how long a thread waited for a CPU, so it sees no stall.
const accountEvery = 0

func waited() int64 { return -1 }

func monotonic() int64 { return observe.Now() }

// now reads the clocks. This build reports no suspend. On macOS a suspend is not reported as a step either.
func now() moment {
	m := moment{at: time.Now(), wall: observe.WallClock(), countsSuspend: observe.CountsSuspend()}
	m.boot = observe.Bracket{Low: m.wall.Low, Value: m.wall.Low, High: m.wall.Low}
	return m
}
