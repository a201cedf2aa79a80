//go:build !windows

package clock

import (
	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/document/result"
)

// systemCall returns the verdict on a clock that is a system call.
func systemCall() entry.Verdict { return entry.Verdict{Enters: result.Always, By: "path"} }
