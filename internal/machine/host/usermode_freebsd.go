package host

import "github.com/timebench/timebench/internal/document/result"

// addUserMode adds nothing: whether the C library of FreeBSD reads a timecounter in user mode is in no sysctl.
func addUserMode(*result.ClockSource) {}
