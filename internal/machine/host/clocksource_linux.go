package host

import (
	"path/filepath"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
)

// clockSource returns nil if there is no valid name in sysfs.
func clockSource(of reader) *result.ClockSource {
	const folder = "sys/devices/system/clocksource/clocksource0/"
	found := &result.ClockSource{Current: clocksource.Name(of(folder + "current_clocksource")), Available: []string{}}
	for name := range strings.FieldsSeq(of(folder + "available_clocksource")) {
		if name = clocksource.Name(name); name != "" {
			found.Available = append(found.Available, name)
		}
	}
	if found.Current == "" && len(found.Available) == 0 {
		return nil
	}
	return found
}

// unrestored returns the switch that an experiment of timebench did not undo, or
// nil.
func unrestored(root string) *result.UnrestoredClockSource {
	left := clocksource.Folder(filepath.Join(root, string(clocksource.Sysfs))).Abandoned()
	if left == nil {
		return nil
	}
	return &result.UnrestoredClockSource{Original: left.Original, Since: left.Since.UTC(), PID: left.PID}
}
