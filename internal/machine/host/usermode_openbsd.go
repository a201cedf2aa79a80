package host

import (
	"runtime"

	"github.com/timebench/timebench/internal/document/result"
)

// addUserMode adds whether the C library reads the timecounter in user mode.
func addUserMode(of *result.ClockSource) { addUserTimecounter(of, runtime.GOARCH) }
