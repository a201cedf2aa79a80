//go:build !linux && !windows

package host

import (
	"os"
	"time"
)

// WallGranularity is how much two readings of the wall clock and of the monotonic clock may
// differ on a machine without problems.
const WallGranularity = time.Millisecond

// See returns the moment only.
func See() Sighting { return Sighting{At: time.Now()} }

// CountChild does nothing: this build does not measure CPU time.
func CountChild(*os.ProcessState) {}

// CurrentClockSource returns "": this build does not know the clock sources of the system.
func CurrentClockSource() string { return "" }
