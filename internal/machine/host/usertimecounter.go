package host

import (
	"strings"

	"github.com/timebench/timebench/internal/document/result"
)

// addUserTimecounter adds whether the C library of OpenBSD reads the timecounter in user mode (usertc). On amd64 and
// arm64 that follows from its name: tsc.c and agtimer.c in sys/arch set tc_user.
func addUserTimecounter(of *result.ClockSource, arch string) {
	var userMode bool
	switch arch {
	case "amd64":
		userMode = of.Current == "tsc"
	case "arm64":
		userMode = strings.HasPrefix(of.Current, "agtimer")
	default:
		return
	}
	of.UserMode = &userMode
}
