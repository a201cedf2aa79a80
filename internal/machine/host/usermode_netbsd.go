package host

import "github.com/timebench/timebench/internal/document/result"

// addUserMode adds that no timecounter is read in user mode: the C library of NetBSD makes the system call.
func addUserMode(of *result.ClockSource) { of.UserMode = new(bool) }
