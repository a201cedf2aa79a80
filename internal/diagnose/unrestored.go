package diagnose

import (
	"fmt"
	"regexp"
	"time"

	"github.com/timebench/timebench/internal/document/result"
)

func unrestored(d *result.Document) *result.Finding {
	left := d.Host.UnrestoredClockSource
	if left == nil || left.Original == clockSource(d) {
		return nil
	}
	return &result.Finding{
		Title: fmt.Sprintf("an experiment of timebench left the clock source switched to %s; it was %s", clockSource(d), left.Original),
		Evidence: []string{
			fmt.Sprintf("/run/timebench/clocksource.json: process %d switched it from %s at %s", left.PID, left.Original, left.Since.UTC().Format(time.DateTime+" UTC")),
			"neither that process nor its guardian is running, and the clock source in use is " + clockSource(d),
		},
		Cause: "`timebench compare --clocksources` and its guardian process were killed at the same time: " +
			"with their control group, with their container, or both by kill -9. Neither could restore the clock source.",
		Remedies: advise(d, "restore", "restore-best"),
		Links:    []string{clockSourceABI},
	}
}

// safeInShell matches names of clock sources. A document from elsewhere may have another
// text in their place, which must not become part of a command.
var safeInShell = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// safeParameter matches parameters of the kernel command line, for the same reason.
var safeParameter = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.,:=/-]*$`)

func leftByExperiment(d *result.Document) (why, bool) {
	left := d.Host.UnrestoredClockSource
	if unrestored(d) == nil {
		return why{}, false
	}
	return why{
		cause:    fmt.Sprintf("An experiment of timebench selected %s, and was killed before it could restore %s.", clockSource(d), left.Original),
		remedies: []string{"restore", "restore-best"},
	}, true
}
