package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

// usual are the clocks of which Healthy says more than [Answer]: the first that a reader asks about.
var usual = []string{"CLOCK_MONOTONIC@vdso", "QueryPerformanceCounter@winapi"}

// Measured reports whether the cost of any clock is known.
func Measured(d *result.Document) bool {
	return slices.ContainsFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return c.Latency != nil })
}

// Healthy returns what doctor prints for a document without findings: that there is no
// problem, or that too little was measured to know. What reads cost is in [Answer].
func Healthy(d *result.Document) string {
	unread := ""
	if d.Host.KernelLog != nil {
		unread = d.Host.KernelLog.Reason
	}
	text := "No problem with the clocks was found."
	switch measured := Measured(d); {
	case alone(d):
		text = "F" + fromTheLog(d)[1:] + "it shows no fault of the clocks. Nothing was measured, so the cost of the clocks is unknown."
		if d.Host.KernelLog.Boots > 1 && !d.Host.KernelLog.Mixed {
			text += " The earlier boots were not judged."
		}
	case d.Interrupted && !measured:
		text = "Interrupted before anything was measured: the cost of the clocks is unknown."
	case !measured && unread != "":
		text = "Nothing was measured, so the cost of the clocks is unknown, and the kernel log could not be read: " + unread + ". The other facts show no problem."
	case !measured:
		text = "Nothing was measured, so the cost of the clocks is unknown. No other problem was found."
	case d.Interrupted:
		text = "Interrupted. No problem with the clocks was found until then."
	}
	texts := []string{text}
	if alone(d) {
		for _, c := range logged(d) {
			texts = append(texts, c.Text)
		}
	}
	for _, c := range compare.Of(d).Clocks {
		if slices.Contains(usual, c.ID) && c.Latency == nil && c.Reason != "" {
			texts = append(texts, fmt.Sprintf("%s was not measured: %s.", c.ID, c.Reason))
		}
	}
	if v := verify.Of(d); v != nil {
		for _, c := range v.Clocks {
			if slices.Contains(usual, c.ID) && c.Verdict == verify.IsMonotonic {
				texts = append(texts, fmt.Sprintf("%s never went backwards in %s reads on %s.", c.ID, words.Thousands(c.Reads), words.Plural(len(v.CPUs), "CPU")))
			}
		}
	}
	return strings.Join(texts, " ")
}
