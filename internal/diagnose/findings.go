// Package diagnose turns a result document into findings (what is wrong with the clocks of a
// machine, the cause, the remedies) and warnings (what disturbed the run). It measures
// nothing.
//
// A new finding is one entry in checks. A new warning is one entry in noises.
package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/show/words"
)

// A check looks for one kind of finding.
type check struct {
	kind       string
	severities []string // that the finding can have, the worst first
	// find returns the finding without its kind; none without evidence. An empty severity means the worst.
	find func(*result.Document) *result.Finding
}

// checks are all checks, in the order of findings of equal severity. A new finding is one
// entry here and a row in docs/doctor.md.
var checks = []check{
	{"clocksource-unrestored", []string{result.Error}, unrestored},
	{"kernel-entry", []string{result.Error}, kernelEntry},
	{"no-vdso", []string{result.Error}, noVDSO},
	{"kernel-entry-unproven", []string{result.Warn}, unproven},
	{"tsc-trapped", []string{result.Error}, trappedTSC},
	{"backwards", []string{result.Error}, backwards},
	{"faulty-clock", []string{result.Warn}, faulty},
	{"qpc-kernel", []string{result.Error}, qpcKernel},
	{"slow-reads", []string{result.Error}, slowReads},
	{"clock-calls-refused", []string{result.Error}, refusedCalls},
	{"wall-clock-off", []string{result.Error, result.Warn, result.Note}, wallOff},
	{"heavy-readers", []string{result.Warn, result.Note}, heavyReaders},
	{"tsc-unstable", []string{result.Warn}, unstableTSC},
	{"tsc-rate", []string{result.Warn}, tscRate},
	{"drift", []string{result.Warn}, drifting},
	{"not-scaling", []string{result.Warn}, notScaling},
	{"fine-clock-ticks", []string{result.Warn}, ticking},
	{"clock-rate", []string{result.Warn, result.Note}, rateAtLimit},
	{"two-time-services", []string{result.Warn}, twoServices},
	{"stepped", []string{result.Warn}, stepped},
	{"unsynchronised", []string{result.Warn, result.Note}, unsynchronised},
	{"slewed", []string{result.Note}, slewed},
	{"steal", []string{result.Warn, result.Note}, steal},
	{"kernel-entry-of-some", []string{result.Note}, slowClocksOfOldKernels},
	{"quota", []string{result.Note}, quota},
	{"governor", []string{result.Note}, governor},
	{"single-cpu", []string{result.Note}, singleCPU},
	{"timer-raised", []string{result.Note}, timerRaised},
}

// limitCheck is the check of [OverLimit], which takes a limit besides the document.
var limitCheck = check{kind: "dear", severities: []string{result.Error}}

func (c check) completed(f *result.Finding) result.Finding {
	f.Kind, f.Severity = c.kind, cmp.Or(f.Severity, c.severities[0])
	return *f
}

// Findings returns what is wrong with the clocks of the document's machine, the worst
// first. It uses only the document, so it works for documents of other machines.
func Findings(d *result.Document) []result.Finding {
	var findings []result.Finding
	d = completed(d)
	for _, c := range checks {
		if finding := c.find(d); finding != nil && len(finding.Evidence) > 0 {
			if alone(d) {
				finding.Title = fromTheLog(d) + finding.Title
			}
			findings = append(findings, c.completed(finding))
		}
	}
	return Sorted(findings)
}

// completed returns the document with what other sections show of its clocks: the runtimes' and the profile's own
// readings.
func completed(d *result.Document) *result.Document {
	costs := *compare.Of(d)
	costs.Clocks = slices.Clone(costs.Clocks)
	add := func(id, entry string, latency *compare.Latency) {
		i := slices.IndexFunc(costs.Clocks, func(c compare.Clock) bool { return c.ID == id })
		if i < 0 {
			path := id[strings.LastIndexByte(id, '@')+1:]
			i, costs.Clocks = len(costs.Clocks), append(costs.Clocks, compare.Clock{ID: id, Path: path, Available: true})
		}
		if c := &costs.Clocks[i]; c.Latency == nil && c.KernelEntry == "" {
			c.Latency, c.KernelEntry = latency, entry
		}
	}
	if s := runtimes.Of(d); s != nil {
		for _, c := range s.Clocks {
			add(c.ID, c.KernelEntry, c.Latency)
		}
	}
	if p := profile.Of(d); p != nil && p.ReadNS > 0 {
		add(profile.FineID, p.KernelEntry, &compare.Latency{MedianNS: p.ReadNS})
	}
	all := *d
	all.Sections = slices.Clone(d.Sections)
	all.Put(&costs)
	return &all
}

// Sorted returns the findings with the worst first. It keeps the order within a severity.
func Sorted(findings []result.Finding) []result.Finding {
	slices.SortStableFunc(findings, func(a, b result.Finding) int {
		return cmp.Compare(slices.Index(result.Severities, a.Severity), slices.Index(result.Severities, b.Severity))
	})
	return findings
}

// everyday are the clocks that programs read most: C, Java and Go use them for "now".
var everyday = []string{
	"CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso", "gettimeofday@vdso",
	"QueryPerformanceCounter@winapi", "GetSystemTimePreciseAsFileTime@winapi",
	"CLOCK_MONOTONIC@libc", "CLOCK_REALTIME@libc", "gettimeofday@libc",
}

// Everyday reports whether programs read a clock most.
func Everyday(id string) bool { return slices.Contains(everyday, id) }

// Conclusive returns the findings that were shown, and whether doctor could tell: not if no clock was timed,
// or none to which the limit of [OverLimit] applies.
func Conclusive(d *result.Document) (findings []result.Finding, conclusive bool) {
	timed := slices.ContainsFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return Everyday(c.ID) && c.Latency != nil })
	findings = slices.DeleteFunc(slices.Clone(d.Findings), func(f result.Finding) bool { return f.Kind == limitCheck.kind && !timed })
	return findings, Measured(d) && len(findings) == len(d.Findings)
}

// OverLimit returns a finding if an everyday clock costs more than the limit in nanoseconds per
// read, beyond noise, or if no everyday clock was timed; otherwise nil.
func OverLimit(d *result.Document, limitNS float64) *result.Finding {
	limit := words.Duration(limitNS) + "/read"
	finding := limitCheck.completed(&result.Finding{
		Title: "an everyday clock costs more than the limit of " + limit,
	})
	var dear, missing []compare.Clock
	timed := false
	for _, c := range compare.Of(d).Clocks {
		switch {
		case !Everyday(c.ID):
		case c.Latency == nil:
			missing = append(missing, c)
		default:
			timed = true
			if min(CostNS(c.Latency), cmp.Or(c.Latency.LowNS, c.Latency.MedianNS)) > limitNS {
				dear = append(dear, c)
			}
		}
	}
	if !timed {
		finding.Title = "no everyday clock was timed, so the limit of " + limit + " cannot be checked"
		finding.Cause = "The limit applies to the clocks that programs read most: " + strings.Join(everyday, ", ") + "."
		finding.Evidence = rows(d, missing, func(c compare.Clock) string { return c.Reason })
		if len(missing) == 0 {
			finding.Evidence = []string{words.Plural(len(compare.Of(d).Clocks), "clock") + " in the result, but none of these"}
		}
		return &finding
	}
	if len(dear) == 0 {
		return nil
	}
	finding.Evidence = rows(d, dear, func(compare.Clock) string { return "" })
	return &finding
}

func timedClock(d *result.Document, id string) *compare.Clock {
	for i, c := range compare.Of(d).Clocks {
		if c.ID == id && c.Available && c.Latency != nil {
			return &compare.Of(d).Clocks[i]
		}
	}
	return nil
}

func clockSource(d *result.Document) string {
	if d.Host.ClockSource == nil {
		return ""
	}
	return d.Host.ClockSource.Current
}

func clockSources(d *result.Document) []string {
	if d.Host.ClockSource == nil {
		return nil
	}
	return d.Host.ClockSource.Available
}

func offers(d *result.Document, name string) bool { return slices.Contains(clockSources(d), name) }
