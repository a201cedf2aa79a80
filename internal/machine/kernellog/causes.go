package kernellog

import (
	"cmp"
	"slices"
)

// reasons are the rules for why a clock is wrong or not in use. The first that finds a cause excludes the others:
// measurements come before inferences, and a pair of figures with one explanation before a pair with several.
var reasons = slices.Concat(measuredRules, comparedRules, presumedRules)

// otherRules find the causes beside the reason: by rules, and by single messages.
var otherRules = slices.Concat(alsoRules, timeRules, messageRules())

func messageRules() []rule {
	var rules []rule
	for _, f := range formats {
		if f.shows != nil {
			rules = append(rules, rule{kind: string(f.kind), harmless: f.shows.Harmless, find: logged(f.kind, *f.shows)})
		}
	}
	return rules
}

// Causes are the kinds of causes, in the order of their rules, without the always harmless ones.
func Causes() []string {
	var kinds []string
	for _, r := range slices.Concat(reasons, otherRules) {
		if !r.harmless {
			kinds = append(kinds, r.kind)
		}
	}
	return kinds
}

// Explain returns the causes that the events show: the reason why a clock is wrong or not in use, if there is one, and
// then the others. Facts of the machine that m lacks are taken from the log.
func Explain(events []Event, m Machine) []Cause {
	l := log{events: events, machine: m.with(MachineOf(events))}
	l.rates = rates(events, l.machine)
	l.comparisons = comparisons(events, l.machine, l.rates)
	return append(l.found(reasons, 1), l.found(otherRules, len(otherRules))...)
}

func (l log) found(rules []rule, most int) []Cause {
	var causes []Cause
	for _, r := range rules {
		if cause, ok := r.find(l); ok && len(causes) < most {
			cause.Kind, cause.Title = r.kind, cmp.Or(cause.Title, r.title)
			cause.Inferred, cause.Harmless = cause.Inferred || r.inferred, cause.Harmless || r.harmless
			cause.Concerns, cause.Evidence = cmp.Or(cause.Concerns, r.concerns, OfTSC), withoutRepeats(cause.Evidence)
			causes = append(causes, cause)
		}
	}
	return causes
}

// maxEvidence bounds the lines of evidence of a cause.
const maxEvidence = 30

func withoutRepeats(events []Event) []Event {
	var kept []Event
	for _, e := range events {
		if !slices.ContainsFunc(kept, func(k Event) bool { return k.Line == e.Line }) && len(kept) < maxEvidence {
			kept = append(kept, e)
		}
	}
	return kept
}
