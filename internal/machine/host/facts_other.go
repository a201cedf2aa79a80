//go:build !linux

package host

import (
	"runtime"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
)

// Facts returns the facts about this machine. It leaves TSCHz empty, which needs a
// measurement.
func Facts() result.Host {
	facts := result.Host{OS: runtime.GOOS, Arch: runtime.GOARCH}
	facts.CPU.Logical, facts.CPU.Physical = cpuCounts()
	facts.CPU.Usable = len(thread.Usable())
	facts.CPU.InvariantTSC = invariantTSC()
	addSystemFacts(&facts)
	return facts
}

// RTCSeconds returns false: this build reads no real-time clock.
func RTCSeconds() (seconds int64, ok bool) { return 0, false }

// TimeSync returns nil: this build does not know the state of the wall clock.
func TimeSync() *result.TimeSync { return nil }
