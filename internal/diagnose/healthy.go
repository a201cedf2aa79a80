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

// usual are the clocks that Healthy describes: the first that a reader asks about.
var usual = []string{"CLOCK_MONOTONIC@vdso", "QueryPerformanceCounter@winapi"}

// Measured reports whether the cost of any clock is known.
func Measured(d *result.Document) bool {
	return slices.ContainsFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return c.Latency != nil })
}

// Healthy returns what doctor prints for a document without findings: that there is no
// problem, or that too little was measured to know, and the facts that support it.
func Healthy(d *result.Document) string {
	text := "No problem with the clocks was found."
	switch measured := Measured(d); {
	case alone(d):
		text = "From a kernel log alone: it shows no fault of the clocks. Nothing was measured, so the cost of the clocks is unknown."
	case d.Interrupted && !measured:
		text = "Interrupted before anything was measured: the cost of the clocks is unknown."
	case !measured && unreadLog(d) != "":
		text = "Nothing was measured, so the cost of the clocks is unknown, and the kernel log could not be read: " + unreadLog(d) + ". The other facts show no problem."
	case !measured:
		text = "Nothing was measured, so the cost of the clocks is unknown. No other problem was found."
	case d.Interrupted:
		text = "Interrupted. No problem with the clocks was found until then."
	}
	if alone(d) {
		text = strings.Join(append([]string{text}, shown(d)...), " ")
	}
	var facts []string
	for _, c := range compare.Of(d).Clocks {
		if slices.Contains(usual, c.ID) {
			facts = append(facts, clockFacts(d, c)...)
		}
	}
	if len(facts) > 0 {
		text += " " + strings.Join(facts, "; ") + "."
	}
	if name := clockSource(d); name != "" {
		text += " The clock source is " + name + "."
	}
	return text
}

// unreadLog returns why the kernel log could not be read; "" if it was.
func unreadLog(d *result.Document) string {
	if log := d.Host.KernelLog; log != nil {
		return log.Reason
	}
	return ""
}

// clockFacts returns the good facts about a clock, or why it was not measured; the first names it.
func clockFacts(d *result.Document, c compare.Clock) []string {
	var facts []string
	subject := c.ID
	add := func(text string) {
		facts, subject = append(facts, subject+" "+text), "it"
	}
	if c.Latency != nil {
		add(fmt.Sprintf("costs %s ns/read", words.NS(c.Latency.MedianNS)))
	} else if c.Reason != "" {
		add("was not measured: " + c.Reason)
	}
	if c.KernelEntry == result.Never {
		add("does not enter the kernel")
	}
	if v := verify.Of(d); v != nil {
		for _, verified := range v.Clocks {
			if verified.ID == c.ID && verified.Verdict == verify.IsMonotonic {
				add(fmt.Sprintf("never went backwards in %s reads on %s", words.Thousands(verified.Reads), words.Plural(len(v.CPUs), "CPU")))
			}
		}
	}
	return facts
}
