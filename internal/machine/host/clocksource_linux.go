package host

import (
	"errors"
	"path/filepath"

	"github.com/prometheus/procfs/sysfs"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
)

func clockSource(root string) (*result.ClockSource, error) {
	fs, err := sysfs.NewFS(filepath.Join(root, sysfs.DefaultMountPoint))
	if err != nil {
		return nil, err
	}
	sources, err := fs.ClockSources()
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, errors.New("none in sysfs")
	}
	found := &result.ClockSource{Current: clockSourceName(sources[0].Current), Available: []string{}}
	for _, name := range sources[0].Available {
		if name = clockSourceName(name); name != "" {
			found.Available = append(found.Available, name)
		}
	}
	if found.Current == "" && len(found.Available) == 0 {
		return nil, errors.New("no valid name in sysfs")
	}
	return found, nil
}

// unrestored returns the switch that an experiment of timebench did not undo; nil if there
// is none.
func unrestored(root string) *result.UnrestoredClockSource {
	left := clocksource.Folder(filepath.Join(root, string(clocksource.Sysfs))).Abandoned()
	if left == nil {
		return nil
	}
	return &result.UnrestoredClockSource{Original: left.Original, Since: left.Since.UTC(), PID: left.PID}
}
