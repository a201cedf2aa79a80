package kernellog

import (
	"cmp"
	"slices"
	"strings"
)

// A log is the input of the rules.
type log struct {
	events      []Event
	machine     Machine
	comparisons []comparison
}

// A rule finds one cause. A new one is an entry in a table.
type rule struct {
	// kind, title, concerns and inferred are fields of the cause. find may set another title or subject.
	kind, title string
	concerns    Subject
	inferred    bool
	find        func(log) (Cause, bool)
}

// reasons are the rules for why a clock is wrong or not in use. The first that finds a cause excludes the others:
// measurements come before inferences, and a pair of figures with one explanation before one with several.
var reasons = slices.Concat(measuredRules, comparedRules, presumedRules)

// otherRules find the causes that a log shows beside the reason: those with a rule, and those that one message shows.
var otherRules = slices.Concat(alsoRules, messageRules())

func messageRules() []rule {
	var rules []rule
	for _, f := range formats {
		if f.shows != nil {
			rules = append(rules, rule{kind: string(f.kind), find: logged(f.kind, *f.shows)})
		}
	}
	return rules
}

// Causes are the kinds of causes, in the order of their rules.
func Causes() []string {
	var kinds []string
	for _, r := range slices.Concat(reasons, otherRules) {
		kinds = append(kinds, r.kind)
	}
	return kinds
}

// Explain returns the causes that the events show: the reason why a clock is wrong or not in use, if there is one, and
// then the others. Facts of the machine that m lacks are taken from the log.
func Explain(events []Event, m Machine) []Cause {
	l := log{events: events, machine: m.with(MachineOf(events)), comparisons: comparisons(events)}
	return append(l.found(reasons, 1), l.found(otherRules, len(otherRules))...)
}

func (l log) found(rules []rule, most int) []Cause {
	var causes []Cause
	for _, r := range rules {
		if cause, ok := r.find(l); ok && len(causes) < most {
			cause.Kind, cause.Title, cause.Inferred = r.kind, cmp.Or(cause.Title, r.title), cause.Inferred || r.inferred
			cause.Concerns, cause.Evidence = cmp.Or(cause.Concerns, r.concerns, OfTSC), withoutRepeats(cause.Evidence)
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

// first returns the rule of a cause that cause makes of the first line of a kind, and every such line shows.
func first(k Kind, cause func(Event) Cause) func(log) (Cause, bool) {
	return func(l log) (Cause, bool) {
		found := l.of(k)
		if len(found) == 0 {
			return Cause{}, false
		}
		return cause(found[0]).shownBy(found)
	}
}

// shownBy returns the cause with lines as its evidence, and whether there are any.
func (c Cause) shownBy(events []Event) (Cause, bool) {
	c.Evidence = events
	return c, len(c.Evidence) > 0
}

func (l log) of(kinds ...Kind) []Event { return ofKind(l.events, kinds...) }

// marking returns the lines that mark the TSC unstable for a reason that contains a text in lower case; "" is in any.
func (l log) marking(reason string) []Event {
	return slices.DeleteFunc(l.of(tscUnstable), func(e Event) bool {
		return e.Reason == "" || !strings.Contains(strings.ToLower(e.Reason), reason)
	})
}

// compared returns the first comparison that marked the clock unstable and for which a condition holds. If no
// comparison marked it, skipped checks count, which are never the reason for a mark.
func (l log) compared(holds func(comparison) bool) (comparison, bool) {
	marked := len(l.of(tscUnstable)) > 0 || slices.ContainsFunc(l.of(readBackDelay), Event.Marks) ||
		slices.ContainsFunc(l.comparisons, func(c comparison) bool { return c.marked })
	for _, c := range l.comparisons {
		if c.marked == marked && holds(c) {
			return c, true
		}
	}
	return comparison{}, false
}

// parameter returns the first boot parameter that is one of the texts; "" without one.
func (l log) parameter(texts ...string) string {
	for _, p := range l.machine.Parameters {
		if slices.Contains(texts, p) {
			return p
		}
	}
	return ""
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
