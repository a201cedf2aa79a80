//go:build !linux && !windows && !freebsd && !netbsd && !openbsd

package host

import "github.com/timebench/timebench/internal/document/result"

// clockSource returns nil: this build does not know the clock sources of the system.
func clockSource() *result.ClockSource { return nil }

// CurrentClockSource returns "": this build does not know the clock sources of the system.
func CurrentClockSource() string { return "" }
