// Package diagnose turns a result document into findings (the faults of the clocks of a machine, the cause, the
// remedies) and warnings (the disturbances of the run). It measures nothing.
//
// From the bottom up: package situation has the facts that are derived from a document, package remedy has the advice.
// Here, a check makes a finding of a situation, the table below shows which check excludes which, and the answer sums
// up.
package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// A check looks for one kind of finding.
type check struct {
	kind       string
	severities []string // that the finding can have, the worst first
	// find returns the finding without its kind. It returns nil, or a finding without evidence, if it finds nothing. An
	// empty severity means the worst.
	find func(*situation.Situation) *result.Finding
	// unless are the kinds of findings, of checks above it, that explain the same better. With such a finding the check
	// finds nothing.
	unless []string
}

// checks are all checks, in the order of findings of equal severity.
var checks = []check{
	{"clocksource-unrestored", []string{result.Error}, unrestored, nil},
	{"kernel-entry", []string{result.Error}, kernelEntry, nil},
	{"no-vdso", []string{result.Error}, noVDSO, nil},
	{"tsc-trapped", []string{result.Error}, trappedTSC, nil},
	{"backwards", []string{result.Error}, backwards, nil},
	{"qpc-kernel", []string{result.Error}, qpcKernel, nil},
	{"kernel-entry-unproven", []string{result.Warn, result.Note}, unproven, []string{"kernel-entry", "no-vdso", "qpc-kernel"}},
	{"faulty-clock", []string{result.Warn}, faulty, nil},
	{
		slowReadsKind, []string{result.Error}, slowReads,
		[]string{"kernel-entry", "no-vdso", "kernel-entry-unproven", "tsc-trapped", "qpc-kernel"},
	},
	{"clock-calls-refused", []string{result.Error}, refusedCalls, nil},
	{"wall-clock-off", []string{result.Error, result.Warn, result.Note}, wallOff, nil},
	{"vm-disrupted", []string{result.Warn, result.Note}, disrupted, []string{"wall-clock-off"}},
	{"heavy-readers", []string{result.Warn, result.Note}, heavyReaders, []string{"kernel-entry", "no-vdso"}},
	{"tsc-unstable", []string{result.Error, result.Warn}, faultOf(true), []string{"kernel-entry", "kernel-entry-unproven"}},
	{"kernel-log", []string{result.Warn, result.Note}, faultOf(false), []string{"kernel-entry", "kernel-entry-unproven"}},
	{"wall-clock-log", []string{result.Warn, result.Note}, wallFault, nil},
	{"tsc-rate", []string{result.Warn}, tscRate, nil},
	{"counter-rate", []string{result.Warn}, wrongFrequency, []string{"tsc-rate"}},
	{"drift", []string{result.Warn}, drifting, nil},
	{"not-scaling", []string{result.Warn}, notScaling, nil},
	{"fine-clock-ticks", []string{result.Warn}, ticking, nil},
	{"two-time-services", []string{result.Warn}, twoServices, nil},
	{"clock-rate", []string{result.Warn, result.Note}, rateAtLimit, []string{"two-time-services"}},
	{"stepped", []string{result.Warn}, stepped, []string{"two-time-services"}},
	{"unsynchronised", []string{result.Warn, result.Note}, unsynchronised, nil},
	{"slewed", []string{result.Note}, slewed, []string{"clock-rate", "two-time-services"}},
	{"sleeps-by-ticks", []string{result.Note}, sleepsByTicks, nil},
	{"early-wake-ups", []string{result.Error, result.Note}, earlyWakeUps, nil},
	{"coarse-timers", []string{result.Warn}, coarseTimers, nil},
	{"timer-slack", []string{result.Warn, result.Note}, largeSlack, []string{"coarse-timers"}},
	{"steal", []string{result.Warn, result.Note}, steal, nil},
	{"kernel-entry-of-some", []string{result.Note}, slowClocksOfOldKernels, []string{"kernel-entry"}},
	{"quota", []string{result.Note}, quota, nil},
	{"slow-idle-exit", []string{result.Note}, slowIdleExit, []string{"coarse-timers"}},
	{"slow-interrupt", []string{result.Note}, heldUp, nil},
	{"single-cpu", []string{result.Note}, singleCPU, nil},
	{"timer-raised", []string{result.Note}, timerRaised, nil},
}

// limitCheck is the check of [OverLimit], which takes a limit besides the document
var limitCheck = check{kind: "over-limit", severities: []string{result.Error}}

func (c check) completed(f *result.Finding) result.Finding {
	f.Kind, f.Severity = c.kind, cmp.Or(f.Severity, c.severities[0])
	return *f
}

// Findings returns the faults of the clocks of the document's machine, the worst first. It uses only the document, so
// it works for documents of other machines.
func Findings(d *result.Document) []result.Finding {
	s := situation.Of(d)
	var findings []result.Finding
	for _, c := range checks {
		if slices.ContainsFunc(findings, func(f result.Finding) bool { return slices.Contains(c.unless, f.Kind) }) {
			continue
		}
		if finding := c.find(s); finding != nil && len(finding.Evidence) > 0 {
			if s.LogOnly() {
				finding.Title = fromTheLog(s) + finding.Title
			}
			findings = append(findings, c.completed(finding))
		}
	}
	return Sorted(findings)
}

// Sorted returns the findings with the worst first. It keeps the order within a severity.
func Sorted(findings []result.Finding) []result.Finding {
	slices.SortStableFunc(findings, func(a, b result.Finding) int {
		return cmp.Compare(slices.Index(result.Severities, a.Severity), slices.Index(result.Severities, b.Severity))
	})
	return findings
}

// Timed returns the everyday clocks that were timed.
func Timed(d *result.Document) []compare.Clock {
	return slices.DeleteFunc(slices.Clone(compare.Of(d).Clocks), func(c compare.Clock) bool {
		return !situation.IsEveryday(c) || c.Latency == nil
	})
}

// Conclusive returns the shown findings, and whether doctor could judge: it cannot without a timed clock, or without an
// everyday clock for the limit of [OverLimit].
func Conclusive(d *result.Document) (findings []result.Finding, conclusive bool) {
	timed := len(Timed(d)) > 0
	findings = slices.DeleteFunc(slices.Clone(d.Findings), func(f result.Finding) bool {
		return f.Kind == limitCheck.kind && !timed
	})
	return findings, Measured(d) && len(findings) == len(d.Findings)
}

// OverLimit returns a finding if an everyday clock costs more than the limit in nanoseconds per read, beyond noise, or
// if no everyday clock was timed; otherwise nil.
func OverLimit(d *result.Document, limitNS float64) *result.Finding {
	s := situation.Of(d)
	s.Clocks = compare.Of(d).Clocks // only the clocks that compare timed
	limit := words.Duration(limitNS) + "/read"
	finding := limitCheck.completed(&result.Finding{Title: "an everyday clock costs more than " + limit + ", the limit"})
	everyday := s.Select(situation.IsEveryday)
	over := slices.DeleteFunc(slices.Clone(everyday), func(c compare.Clock) bool {
		return c.Latency == nil || min(situation.CostNS(c.Latency), cmp.Or(c.Latency.LowNS, c.Latency.MedianNS)) <= limitNS
	})
	if !slices.ContainsFunc(everyday, func(c compare.Clock) bool { return c.Latency != nil }) {
		finding.Title = "no everyday clock was timed, so the limit of " + limit + " cannot be checked"
		finding.Cause = fmt.Sprintf("The limit applies to the clocks that programs read most: %s.",
			strings.Join(situation.Everyday, ", "))
		finding.Evidence = rows(s, everyday, func(c compare.Clock) string { return c.Reason })
		if len(everyday) == 0 {
			finding.Evidence = []string{words.Plural(len(s.Clocks), "clock") + " in the result, but none of these"}
		}
		return &finding
	}
	if len(over) == 0 {
		return nil
	}
	finding.Evidence = rows(s, over, func(compare.Clock) string { return "" })
	return &finding
}
