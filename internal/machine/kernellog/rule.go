package kernellog

import (
	"cmp"
	"slices"
	"strconv"
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
	// kind, title, text, concerns, tsc and inferred are fields of the cause. In title and text, words in braces stand for
	// figures of the first line or of the comparison (fill).
	kind, title, text string
	concerns          Subject
	tsc               Judgement
	inferred          bool
	harmless          bool                       // whether the cause never calls for a remedy
	holds             func(log, comparison) bool // a condition on one comparison of the watchdog. The evidence are its lines.
	// lines returns the evidence; with holds, more of it. Without either, it is the lines of the same kind. Without
	// evidence there is no cause.
	lines func(log) []Event
	say   func(*Cause, log, comparison) // completes a cause that has its evidence, if its text depends on that. Without a text there is no cause.
}

func (r rule) on(l log) (Cause, bool) {
	cause := Cause{Kind: r.kind, Title: r.title, Text: r.text, Harmless: r.harmless, Inferred: r.inferred, Concerns: r.concerns, TSC: r.tsc}
	var c comparison
	if r.holds != nil {
		var ok bool
		if c, ok = l.compared(func(c comparison) bool { return r.holds(l, c) }); !ok {
			return Cause{}, false
		}
		cause.Evidence = slices.Concat(c.events, l.marking(""))
	}
	if r.lines == nil && r.holds == nil {
		r.lines = logged(Kind(r.kind))
	}
	if r.lines != nil {
		cause.Evidence = append(cause.Evidence, r.lines(l)...)
	}
	if len(cause.Evidence) > 0 {
		cause.fill(l, c)
		if r.say != nil {
			r.say(&cause, l, c)
		}
	}
	cause.Concerns, cause.Evidence = cmp.Or(cause.Concerns, OfTSC), withoutRepeats(cause.Evidence)
	return cause, cause.Text != "" && len(cause.Evidence) > 0
}

// fill puts figures in place of the words in braces.
func (c *Cause) fill(l log, x comparison) {
	if !strings.Contains(c.Text, "{") {
		return
	}
	e, times := c.Evidence[0], 0
	for _, e := range c.Evidence {
		times += e.Count
	}
	figures := strings.NewReplacer("{both}", x.both(), "{off}", x.off(), "{difference}", span(x.skewNS),
		"{times}", strconv.Itoa(times), "{clock}", e.Clock, "{cpus}", cpuNames(c.Evidence[:1]), "{skew}", moreOrLess(e.SkewNS), "{delay}", span(e.DelayNS),
		"{rate}", rate{hz: e.Hz, by: rateLines[e.Kind].by}.String(), "{name}", e.Name, "{reason}", e.Reason, "{kernel}", l.machine.Kernel)
	c.Title, c.Text = figures.Replace(c.Title), figures.Replace(c.Text)
	if c.Concerns == ofItsClock {
		c.Concerns = subjectOf(e.Clock)
	}
}

// ofItsClock stands for the subject of a cause about the clock source in its first line.
const ofItsClock Subject = "its clock source"

const maxEvidence = 30 // a bound on the lines of evidence of a cause

func withoutRepeats(events []Event) []Event {
	var kept []Event
	for _, e := range events {
		if !slices.ContainsFunc(kept, func(k Event) bool { return k.Line == e.Line }) && len(kept) < maxEvidence {
			kept = append(kept, e)
		}
	}
	return kept
}

// logged returns the lines of rules that every line of some kinds shows.
func logged(kinds ...Kind) func(log) []Event {
	return func(l log) []Event { return l.of(kinds...) }
}

// those returns the lines of rules that a condition on lines of some kinds selects.
func those(holds func(log, Event) bool, kinds ...Kind) func(log) []Event {
	return func(l log) []Event {
		return slices.DeleteFunc(l.of(kinds...), func(e Event) bool { return !holds(l, e) })
	}
}

// markedFor returns the lines of rules that a mark on the TSC for a reason shows.
func markedFor(reason string) func(log) []Event {
	return func(l log) []Event { return l.marking(reason) }
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

// reasons are the rules for why a clock is wrong or not in use. The first that finds a cause excludes the others:
// measurements come before inferences, and a pair of figures with one explanation before a pair with several.
var reasons = slices.Concat(measuredRules, comparedRules, presumedRules)

var otherRules = slices.Concat(alsoRules, timeRules) // find the causes beside the reason

// Causes are the kinds of causes, in the order of their rules, without the always harmless ones.
func Causes() []string {
	var kinds []string
	for _, r := range slices.Concat(reasons, otherRules) {
		if !r.harmless && !slices.Contains(kinds, r.kind) { // a kind may have several rules
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
	var causes []Cause
	for i, r := range slices.Concat(reasons, otherRules) {
		if i < len(reasons) && len(causes) > 0 {
			continue
		}
		if cause, ok := r.on(l); ok {
			causes = append(causes, cause)
		}
	}
	return causes
}
