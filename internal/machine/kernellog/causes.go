package kernellog

import (
	"cmp"
	"slices"
	"strings"
)

// A log is what the rules look at.
type log struct {
	events      []Event
	machine     Machine
	comparisons []comparison
}

// A rule finds one cause. A new one is an entry in a table.
type rule struct {
	kind string
	// title is that of the cause, if find does not set it.
	title string
	find  func(log) (Cause, bool)
}

// reasons are the rules for why a clock is wrong or not in use, in the order in which they exclude each other: what is
// measured before what is inferred, and a pair of figures with one explanation before one with several.
var reasons = slices.Concat(measuredRules, comparedRules, presumedRules)

// Causes are the kinds of causes, in the order of their rules.
func Causes() []string {
	var kinds []string
	for _, r := range slices.Concat(reasons, alsoRules) {
		kinds = append(kinds, r.kind)
	}
	return kinds
}

// Explain returns the causes that the events show: first the reason why a clock is wrong or not in use, if there
// is one, then what else the log says. Where a fact of the machine is unknown, the log's own word counts.
func Explain(events []Event, m Machine) []Cause {
	l := log{events: events, machine: m.with(MachineOf(events)), comparisons: comparisons(events)}
	return append(l.found(reasons, 1), l.found(alsoRules, len(alsoRules))...)
}

func (l log) found(rules []rule, most int) []Cause {
	var causes []Cause
	for _, r := range rules {
		if cause, ok := r.find(l); ok && len(causes) < most {
			cause.Kind, cause.Title, cause.Evidence = r.kind, cmp.Or(cause.Title, r.title), withoutRepeats(cause.Evidence)
			causes = append(causes, cause)
		}
	}
	return causes
}

// markedFor returns the rule of a cause that the reason of a mark on the TSC names.
func markedFor(reason string, c Cause) func(log) (Cause, bool) {
	return func(l log) (Cause, bool) { return c.shownBy(l.marking(reason)) }
}

// logged returns the rule of a cause that every line of a kind shows.
func logged(k Kind, c Cause) func(log) (Cause, bool) {
	return func(l log) (Cause, bool) { return c.shownBy(l.of(k)) }
}

// first returns the rule of a cause that the first line of a kind tells, and every line shows.
func first(k Kind, tell func(Event) Cause) func(log) (Cause, bool) {
	return func(l log) (Cause, bool) {
		found := l.of(k)
		if len(found) == 0 {
			return Cause{}, false
		}
		return tell(found[0]).shownBy(found)
	}
}

// shownBy returns the cause with lines as its evidence, and whether there are any.
func (c Cause) shownBy(events ...[]Event) (Cause, bool) {
	c.Evidence = lines(events...)
	return c, len(c.Evidence) > 0
}

func (l log) of(kinds ...Kind) []Event { return ofKind(l.events, kinds...) }

// marking returns the lines that mark the TSC unstable, for the reasons given, in lower case; for any, if none is.
func (l log) marking(reasons ...string) []Event {
	var found []Event
	for _, e := range l.of(tscUnstable) {
		if e.Reason != "" && (len(reasons) == 0 || slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(strings.ToLower(e.Reason), r) })) {
			found = append(found, e)
		}
	}
	return found
}

// compared returns the first comparison that a condition holds for and that marked the clock unstable. If none marked it,
// skipped checks count, which are never the reason for a mark.
func (l log) compared(holds func(comparison) bool) (comparison, bool) {
	marked := len(l.of(tscUnstable)) > 0 || slices.ContainsFunc(l.of(readBackDelay), Event.Marks) || slices.ContainsFunc(l.comparisons, func(c comparison) bool { return c.marked })
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
