//go:build !linux

package host

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
)

// Facts returns the facts about this machine. It leaves TSCHz empty, which needs a
// measurement.
func Facts() result.Host {
	facts := result.Host{OS: runtime.GOOS, Arch: runtime.GOARCH}
	facts.CPU.Logical = runtime.NumCPU()
	if logical, err := cpu.Counts(true); err == nil && logical > 0 {
		facts.CPU.Logical = logical
	}
	facts.CPU.Usable = len(thread.Usable())
	if physical, err := cpu.Counts(false); err == nil {
		facts.CPU.Physical = physical
	}
	facts.CPU.InvariantTSC = invariantTSC()
	addSystemFacts(&facts)
	return facts
}

// RTCSeconds returns false: this build reads no real-time clock.
func RTCSeconds() (seconds int64, ok bool) { return 0, false }

// TimeSync returns nil: this build does not know the state of the wall clock.
func TimeSync() *result.TimeSync { return nil }
