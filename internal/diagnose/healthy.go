package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

// usual are the clocks that a reader asks about first. Healthy says more of them than [Answer].
var usual = []string{"CLOCK_MONOTONIC@vdso", "QueryPerformanceCounter@winapi"}

// Measured reports whether the cost of any clock is known.
func Measured(d *result.Document) bool {
	return slices.ContainsFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return c.Latency != nil })
}

// Healthy returns the text of doctor for a document without findings: that there is no problem, or that too little was
// measured to know. [Answer] has the cost of reads.
func Healthy(d *result.Document) string {
	s := situation.Of(d)
	unread := ""
	if s.Host.KernelLog != nil {
		unread = s.Host.KernelLog.Reason
	}
	text := "No problem with the clocks was found."
	switch measured := Measured(d); {
	case s.LogOnly():
		text = "F" + fromTheLog(s)[1:] + "it shows no fault of the clocks. Nothing was measured, so the cost of the clocks is unknown."
		if s.Host.KernelLog.Boots > 1 && !s.Host.KernelLog.Mixed {
			text += " The earlier boots were not judged."
		}
	case s.Interrupted && !measured:
		text = "Interrupted before anything was measured: the cost of the clocks is unknown."
	case !measured && unread != "":
		text = "Nothing was measured, so the cost of the clocks is unknown, and the kernel log could not be read: " + unread + ". The other facts show no problem."
	case !measured:
		text = "Nothing was measured, so the cost of the clocks is unknown. No other problem was found."
	case s.Interrupted:
		text = "Interrupted. No problem with the clocks was found until then."
	}
	texts := []string{text}
	if s.LogOnly() {
		for _, c := range s.Causes() {
			texts = append(texts, c.Text)
		}
	}
	for _, c := range s.Clocks {
		if slices.Contains(usual, c.ID) && c.Latency == nil && c.Reason != "" {
			texts = append(texts, fmt.Sprintf("%s was not measured: %s.", c.ID, c.Reason))
		}
	}
	if v := verify.Of(s.Document); v != nil {
		for _, c := range v.Clocks {
			if slices.Contains(usual, c.ID) && c.Verdict == verify.IsMonotonic {
				texts = append(texts, fmt.Sprintf("%s never went backwards in %s reads on %s.", c.ID, words.Thousands(c.Reads), words.Plural(len(v.CPUs), "CPU")))
			}
		}
	}
	return strings.Join(texts, " ")
}
