package clock

import (
	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/wintime"
)

// systemCall returns the verdict on a clock that is a system call. Wine handles the calls of
// Windows itself, and may answer them without the kernel below.
func systemCall() entry.Verdict {
	if wintime.Wine() {
		return entry.Verdict{Enters: result.Unknown, By: "Wine handles the call"}
	}
	return entry.Verdict{Enters: result.Always, By: "path"}
}
