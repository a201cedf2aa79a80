package kernellog

import (
	"slices"
	"strings"
)

// A log is the input of the rules.
type log struct {
	events      []Event
	machine     Machine
	comparisons []comparison
	rates       map[string]rate
}

// A rule finds one cause. A new rule is an entry in a table.
type rule struct {
	// kind, title, concerns and inferred are fields of the cause. find may set another title or subject.
	kind, title string
	concerns    Subject
	inferred    bool
	// harmless is whether the cause never calls for a remedy.
	harmless bool
	find     func(log) (Cause, bool)
}

// markedFor returns the rule of a cause that the reason of a mark on the TSC names.
func markedFor(reason string, c Cause) func(log) (Cause, bool) {
	return func(l log) (Cause, bool) { return c.shownBy(l.marking(reason)) }
}

// logged returns the rule of a cause that every line of a kind shows.
func logged(k Kind, c Cause) func(log) (Cause, bool) {
	return func(l log) (Cause, bool) { return c.shownBy(l.of(k)) }
}

// first returns the rule of a cause that every line of a kind shows. cause makes it from the first line.
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

// subjectOf returns the subject of a cause about a clock source.
func subjectOf(clock string) Subject {
	if strings.HasPrefix(clock, "tsc") {
		return OfTSC
	}
	return OfOtherSource
}
