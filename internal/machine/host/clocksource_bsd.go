//go:build freebsd || netbsd || openbsd

package host

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// clockSource returns the timecounters that the kernel offers and uses; nil if it does not report them.
func clockSource() *result.ClockSource {
	var text strings.Builder
	for _, name := range []string{"hardware", "choice"} {
		value, err := unix.Sysctl(timecounter + name)
		if err != nil {
			debuglog.Printf("host", "%s: %v", timecounter+name, err)
			continue
		}
		text.WriteString(timecounter + name + "=" + value + "\n")
	}
	for _, name := range timecounterSettings {
		// Only FreeBSD has them, and some versions lack some.
		if value, err := unix.SysctlUint32(timecounter + name); err == nil {
			text.WriteString(timecounter + name + "=" + strconv.Itoa(int(int32(value))) + "\n") //nolint:gosec // they are ints in the kernel
		}
	}
	found := Timecounter(text.String())
	if found != nil {
		addUserMode(found)
	}
	return found
}

// CurrentClockSource returns the clock source in use; "" if it cannot be read.
func CurrentClockSource() string {
	name, err := unix.Sysctl(timecounter + "hardware")
	if err != nil {
		return ""
	}
	return clocksource.Name(name)
}
