package diagnose

import (
	"fmt"
	"regexp"
	"time"

	"github.com/timebench/timebench/internal/result"
)

// unrestored finds that an experiment of timebench itself left the clock source switched.
func unrestored(d *result.Document) *result.Finding {
	left := d.Host.UnrestoredClockSource
	if left == nil || left.Original == source(d) {
		return nil
	}
	return &result.Finding{
		Title: fmt.Sprintf("an experiment of timebench left the clock source switched to %s; it was %s", source(d), left.Original),
		Evidence: []string{
			fmt.Sprintf("/run/timebench/clocksource.json: process %d switched it from %s at %s", left.PID, left.Original, left.Since.UTC().Format(time.DateTime+" UTC")),
			"neither that process nor its guardian runs any more, and the clock source in use is " + source(d),
		},
		Cause: "`timebench compare --clocksources` and the second process that restores for it were killed in one stroke: " +
			"with their control group, at the end of their container, or both by kill -9. Neither could restore the clock source.",
		Remedies: restoring(d, left.Original),
		Links:    []string{clockSourceABI},
	}
}

// safeInShell is what names of clock sources are made of. Somebody else's document may
// have another text in its place, which must not become a part of a command.
var safeInShell = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// restoring puts the original back, or has the kernel choose where it no longer offers it.
func restoring(d *result.Document, original string) []result.Remedy {
	if len(offered(d)) > 0 && !available(d, original) || !safeInShell.MatchString(original) {
		return []result.Remedy{{
			Advice:   fmt.Sprintf("The kernel no longer offers %s (its log says why): let it choose the best of the others", original),
			Commands: []string{"echo | sudo tee " + currentFile, "cat " + currentFile},
		}}
	}
	return []result.Remedy{{
		Advice:   "Restore it; the next `timebench compare --clocksources` offers to do so, too",
		Commands: []string{fmt.Sprintf("echo %s | sudo tee %s", original, currentFile), "cat " + currentFile},
		Risk:     "None that is known: it was in use before.",
	}}
}

// leftByExperiment: timebench itself chose the clock source in use.
func leftByExperiment(d *result.Document) (why, bool) {
	left := d.Host.UnrestoredClockSource
	if unrestored(d) == nil {
		return why{}, false
	}
	return why{
		cause:    fmt.Sprintf("An experiment of timebench chose %s, and was killed before it could restore %s.", source(d), left.Original),
		remedies: func(d *result.Document) []result.Remedy { return restoring(d, left.Original) },
	}, true
}
