package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// severities are those that a finding can have, the worst first.
type severities []string

// A check looks for one kind of finding.
type check struct {
	kind       string
	severities severities
	// find returns the finding without its kind, or nil where there is none. A severity
	// that it leaves out is the worst.
	find func(*result.Document) *result.Finding
}

// checks are what is looked for, the worst first among those of one severity. A new
// finding is one entry here, and a row in docs/doctor.md.
var checks = []check{
	{"clocksource-unrestored", severities{result.Error}, unrestored},
	{"kernel-entry", severities{result.Error}, kernelEntry},
	{"no-vdso", severities{result.Error}, noVDSO},
	{"kernel-entry-unproven", severities{result.Warn}, unproven},
	{"tsc-trapped", severities{result.Error}, trappedTSC},
	{"backwards", severities{result.Error}, backwards},
	{"faulty-clock", severities{result.Warn}, faulty},
	{"qpc-kernel", severities{result.Error}, qpcKernel},
	{"tsc-unstable", severities{result.Warn}, demoted},
	{"tsc-rate", severities{result.Warn}, tscRate},
	{"not-scaling", severities{result.Warn}, notScaling},
	{"stepped", severities{result.Warn}, stepped},
	{"unsynchronised", severities{result.Warn, result.Note}, unsynchronised},
	{"slewed", severities{result.Note}, slewed},
	{"steal", severities{result.Warn, result.Note}, steal},
	{"kernel-entry-of-some", severities{result.Note}, slowClocksOfOldKernels},
	{"quota", severities{result.Note}, quota},
	{"governor", severities{result.Note}, governor},
	{"single-cpu", severities{result.Note}, singleCPU},
	{"timer-raised", severities{result.Note}, timerRaised},
}

// dear is the check that takes a limit besides the document: see [Dear].
var dear = check{kind: "dear", severities: severities{result.Error}}

// completed returns the finding of the check with its kind and severity.
func (c check) completed(f *result.Finding) result.Finding {
	f.Kind, f.Severity = c.kind, cmp.Or(f.Severity, c.severities[0])
	return *f
}

// Findings returns what is wrong with the clocks of the document's machine, the worst
// first; nothing where all is well. It looks at nothing but the document, so that it
// works on somebody else's.
func Findings(d *result.Document) []result.Finding {
	var findings []result.Finding
	for _, c := range checks {
		if finding := c.find(d); finding != nil {
			findings = append(findings, c.completed(finding))
		}
	}
	return Sorted(findings)
}

// Sorted puts the worst first and leaves those of one severity in their order.
func Sorted(findings []result.Finding) []result.Finding {
	slices.SortStableFunc(findings, func(a, b result.Finding) int {
		return cmp.Compare(slices.Index(result.Severities, a.Severity), slices.Index(result.Severities, b.Severity))
	})
	return findings
}

// everyday are the clocks that programs ask most: what C's, Java's and Go's libraries
// call for "now".
var everyday = []string{
	"CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso", "gettimeofday@vdso",
	"QueryPerformanceCounter@winapi", "GetSystemTimePreciseAsFileTime@winapi",
	"CLOCK_MONOTONIC@libc", "CLOCK_REALTIME@libc", "gettimeofday@libc",
}

// Dear finds the everyday clocks that cost more than so many nanoseconds a read,
// beyond the noise of the measurement; or that none of them was timed, so that nothing
// tells whether they do.
func Dear(d *result.Document, aboveNS float64) *result.Finding {
	finding := dear.completed(&result.Finding{
		Title: fmt.Sprintf("asking for the time costs more than the %s that were set as a limit", nanoseconds(aboveNS)),
	})
	var timed bool
	var missing []string
	for _, c := range d.Clocks {
		if !slices.Contains(everyday, c.ID) {
			continue
		}
		if c.Latency == nil {
			missing = append(missing, strings.TrimSuffix(costs(c)+": "+c.Reason, ": "))
			continue
		}
		timed = true
		if cmp.Or(c.Latency.LowNS, c.Latency.MedianNS) > aboveNS {
			finding.Evidence = append(finding.Evidence, costs(c))
		}
	}
	if !timed {
		finding.Title = "no everyday clock was timed, so that nothing tells whether one costs more than " + nanoseconds(aboveNS)
		finding.Cause = "The limit is for the clocks that programs ask most: " + strings.Join(everyday, ", ") + "."
		finding.Evidence = missing
		if len(missing) == 0 {
			finding.Evidence = []string{counted(int64(len(d.Clocks)), "clock") + " in the result, none of them one of these"}
		}
		return &finding
	}
	if len(finding.Evidence) == 0 {
		return nil
	}
	return &finding
}

// named returns the document's clock of that id; nil where it was not measured.
func named(d *result.Document, id string) *result.Clock {
	for i, c := range d.Clocks {
		if c.ID == id && c.Available && c.Latency != nil {
			return &d.Clocks[i]
		}
	}
	return nil
}

// costs words what a clock costs and how that is known.
func costs(c result.Clock) string {
	if c.Latency == nil {
		return c.ID + " was not timed"
	}
	text := fmt.Sprintf("%s costs %s a read", c.ID, nanoseconds(c.Latency.MedianNS))
	if c.Latency.Confidence > 0 {
		text += fmt.Sprintf(" (%.3g %% interval %s to %s)", c.Latency.Confidence*100, nanoseconds(c.Latency.LowNS), nanoseconds(c.Latency.HighNS))
	}
	return text
}

// nanoseconds words a span with three digits, in the unit that suits it.
func nanoseconds(ns float64) string {
	switch {
	case ns >= 1e9:
		return fmt.Sprintf("%.3g s", ns/1e9)
	case ns >= 1e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	default:
		return fmt.Sprintf("%.3g ns", ns)
	}
}

// perSecond words a rate.
func perSecond(rate float64) string {
	switch {
	case rate >= 1e6:
		return fmt.Sprintf("%.3g million reads a second", rate/1e6)
	default:
		return fmt.Sprintf("%.0f reads a second", rate)
	}
}

// source is the current clock source; "" where none is known.
func source(d *result.Document) string {
	if d.Host.ClockSource == nil {
		return ""
	}
	return d.Host.ClockSource.Current
}

// offered are the clock sources that the kernel could use.
func offered(d *result.Document) []string {
	if d.Host.ClockSource == nil {
		return nil
	}
	return d.Host.ClockSource.Available
}

func available(d *result.Document, name string) bool { return slices.Contains(offered(d), name) }

// logged returns the lines of the kernel's log that hold one of the texts; case does
// not matter.
func logged(d *result.Document, texts ...string) []string {
	if d.Host.KernelLog == nil {
		return nil
	}
	var lines []string
	for _, line := range d.Host.KernelLog.Lines {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(line), strings.ToLower(text)) }) {
			lines = append(lines, line)
		}
	}
	return lines
}
