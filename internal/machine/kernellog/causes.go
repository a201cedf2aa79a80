package kernellog

import (
	"slices"
)

// A log is what the rules look at.
type log struct {
	events      []Event
	machine     Machine
	comparisons []comparison
}

// A rule finds one cause. A new one is an entry in a table and a row of docs/kernel-messages.md.
type rule struct {
	kind string
	find func(log) (Cause, bool)
	// also is whether it is a fact beside the reason: of the other rules only the first that applies counts.
	also bool
	// What follows is for docs/kernel-messages.md: the name of the cause, how the rule knows it, and what to do; or
	// the message that names the cause, whose entry says it.
	title, evidence, action string
	message                 Kind
}

// rules are all rules, in the order in which they exclude each other: what is measured before what is inferred,
// and a pair of figures with one explanation before one with several.
var rules = slices.Concat(measuredRules, comparedRules, presumedRules, alsoRules)

// Causes are the kinds of causes, in the order of their rules.
func Causes() []string {
	var kinds []string
	for _, r := range rules {
		kinds = append(kinds, r.kind)
	}
	return kinds
}

// Explain returns the causes that the events show: first the reason why a clock is wrong or not in use, if there
// is one, then what else the log says. Where a fact of the machine is unknown, the log's own word counts.
func Explain(events []Event, m Machine) []Cause {
	l := log{events: events, machine: m.with(MachineOf(events)), comparisons: comparisons(events)}
	var causes []Cause
	explained := false
	for _, r := range rules {
		if explained && !r.also {
			continue
		}
		cause, ok := r.find(l)
		if !ok {
			continue
		}
		cause.Kind = r.kind
		cause.Evidence = withoutRepeats(cause.Evidence)
		explained = explained || !r.also
		causes = append(causes, cause)
	}
	return causes
}

// of returns the events of some kinds.
func (l log) of(kinds ...Kind) []Event { return ofKind(l.events, kinds...) }

// marking returns the lines that mark the TSC unstable, for the reasons given; for any, if none is.
func (l log) marking(reasons ...string) []Event {
	var found []Event
	for _, e := range l.of(tscUnstable) {
		if e.Reason != "" && (len(reasons) == 0 || slices.ContainsFunc(reasons, func(r string) bool { return containsFold(e.Reason, r) })) {
			found = append(found, e)
		}
	}
	return found
}

// compared returns the first comparison that a condition holds for: of those that marked the clock unstable. If
// nothing did, of those that were skipped: they are never the reason for a mark.
func (l log) compared(holds func(comparison) bool) (comparison, bool) {
	marked := len(l.of(tscUnstable, readBackDelay)) > 0 || slices.ContainsFunc(l.comparisons, func(c comparison) bool { return c.marked })
	for _, c := range l.comparisons {
		if c.marked == marked && holds(c) {
			return c, true
		}
	}
	return comparison{}, false
}

// parameter returns the first boot parameter that is one of the texts; "" if there is none.
func (l log) parameter(texts ...string) string {
	for _, p := range l.machine.Parameters {
		if slices.Contains(texts, p) {
			return p
		}
	}
	return ""
}

// lines returns the text of events.
func lines(events ...[]Event) []string {
	var texts []string
	for _, e := range slices.Concat(events...) {
		texts = append(texts, e.Line)
	}
	return texts
}

// maxEvidence bounds the lines of evidence of a cause.
const maxEvidence = 30

func withoutRepeats(texts []string) []string {
	var kept []string
	for _, text := range texts {
		if len(kept) == maxEvidence {
			break
		}
		if text != "" && !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}
