package kernellog

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/show/texts"
	"github.com/timebench/timebench/internal/show/words"
)

// A log is the input of the rules.
type log struct {
	events      []Event
	machine     Machine
	comparisons []comparison
	rates       map[string]rate
}

// A rule finds one cause: an entry of reasons.txt or others.txt, where its fields are described, and its functions.
type rule struct {
	Cause
	functions
}

// functions are what a rule cannot have as a text.
type functions struct {
	holds func(log, comparison) bool // a condition on one comparison of the watchdog. The evidence are its lines.
	// lines returns the evidence; with holds, more of it. Without either, it is the lines of the same kind. Without
	// evidence there is no cause.
	lines func(log) []Event
	// say completes a cause that has its evidence, if its text depends on that. Without a text there is no cause.
	say func(*Cause, log, comparison)
}

var (
	//go:embed reasons.txt
	reasonsFile string
	//go:embed others.txt
	othersFile string
)

// reasons are the rules for why a clock is wrong or not in use. The first that finds a cause excludes the others.
var reasons = sync.OnceValue(func() []rule { return rulesOf(reasonsFile, reasonFunctions) })

// otherRules find the causes beside the reason.
var otherRules = sync.OnceValue(func() []rule { return rulesOf(othersFile, otherFunctions) })

// rulesOf returns the rules of a file, each with the functions of its name.
func rulesOf(file string, of map[string]functions) []rule {
	var all []rule
	for _, e := range texts.Entries(file) {
		kind, _, _ := strings.Cut(e.Name, " ")
		r := rule{functions: of[e.Name], Cause: Cause{Kind: kind, Title: e.Get("title"), Text: e.Get("text"),
			Harmless: e.Get("harmless") == "yes", Inferred: e.Get("inferred") == "yes",
			Concerns: cmp.Or(Subject(e.Get("concerns")), OfTSC), TSC: Judgement(e.Get("tsc"))}}
		switch marked, kinds := e.Get("marked"), e.List("lines"); {
		case marked != "":
			r.lines = func(l log) []Event { return l.marking(marked) }
		case len(kinds) > 0:
			r.lines = func(l log) []Event { return l.of(kinds...) }
		case r.lines == nil && r.holds == nil:
			r.lines = func(l log) []Event { return l.of(kind) }
		}
		all = append(all, r)
	}
	return all
}

func (r rule) on(l log) (Cause, bool) {
	cause := r.Cause
	var c comparison
	if r.holds != nil {
		var ok bool
		if c, ok = l.compared(func(c comparison) bool { return r.holds(l, c) }); !ok {
			return Cause{}, false
		}
		cause.Evidence = slices.Concat(c.events, l.marking(""))
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
	cause.Evidence = withoutRepeats(cause.Evidence)
	return cause, cause.Text != "" && len(cause.Evidence) > 0
}

// figures return the figures of a cause by the words that stand for them in its text, from its first line or the
// comparison.
var figures = map[string]func(c Cause, l log, x comparison) string{
	"{clock}":      func(c Cause, _ log, _ comparison) string { return c.Evidence[0].Clock },
	"{name}":       func(c Cause, _ log, _ comparison) string { return c.Evidence[0].Name },
	"{reason}":     func(c Cause, _ log, _ comparison) string { return c.Evidence[0].Reason },
	"{cpus}":       func(c Cause, _ log, _ comparison) string { return cpuNames(c.Evidence[:1]) },
	"{skew}":       func(c Cause, _ log, _ comparison) string { return moreOrLess(c.Evidence[0].SkewNS) },
	"{delay}":      func(c Cause, _ log, _ comparison) string { return span(c.Evidence[0].DelayNS) },
	"{rate}":       func(c Cause, _ log, _ comparison) string { return c.Evidence[0].rate().String() },
	"{both}":       func(_ Cause, _ log, x comparison) string { return x.both() },
	"{off}":        func(_ Cause, _ log, x comparison) string { return x.off() },
	"{difference}": func(_ Cause, _ log, x comparison) string { return span(x.skewNS) },
	"{counter}":    func(_ Cause, _ log, x comparison) string { return inCycles(int64(x.clock.now), x.clock.rate) },
	"{uptime}":     func(_ Cause, _ log, x comparison) string { return span(float64(x.at.AtNS)) },
	"{bit}": func(_ Cause, _ log, x comparison) string {
		bit, _, _ := x.misread()
		return strconv.Itoa(bit)
	},
	"{ticks}": func(_ Cause, _ log, x comparison) string {
		_, ticks, _ := x.misread()
		return words.Number(ticks)
	},
	"{kernel}": func(_ Cause, l log, _ comparison) string { return l.machine.Kernel },
	"{parameter}": func(_ Cause, l log, _ comparison) string {
		return cmp.Or(l.parameter("tsc=unstable", "notsc"), "tsc=unstable")
	},
	"{steps}": func(_ Cause, l log, _ comparison) string { return words.Plural(l.steps().n, "time") },
	"{why}":   func(c Cause, l log, _ comparison) string { return l.whyFalse(c.Evidence[0]) },
	"{erratum}": func(c Cause, _ log, _ comparison) string {
		return words.Either(c.Evidence[0].Kind == "erratum", c.Evidence[0].Name, "an erratum of the counter")
	},
	"{times}": func(c Cause, _ log, _ comparison) string {
		times := 0
		for _, e := range c.Evidence {
			times += e.Count
		}
		return strconv.Itoa(times)
	},
}

// fill puts figures in place of the words in braces.
func (c *Cause) fill(l log, x comparison) {
	figure := func(word string) string {
		if of := figures[word]; of != nil {
			return of(*c, l, x)
		}
		return word
	}
	c.Title, c.Text = texts.Fill(c.Title, figure), texts.Fill(c.Text, figure)
	if c.Concerns == ofItsClock {
		c.Concerns = subjectOf(c.Evidence[0].Clock)
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

// those returns the lines of rules that a condition on lines of some kinds selects.
func those(holds func(log, Event) bool, kinds ...string) func(log) []Event {
	return func(l log) []Event {
		return slices.DeleteFunc(l.of(kinds...), func(e Event) bool { return !holds(l, e) })
	}
}

func (l log) of(kinds ...string) []Event { return ofKind(l.events, kinds...) }

// marking returns the lines that mark the TSC unstable for a reason that contains a text in lower case; "" is in any.
func (l log) marking(reason string) []Event {
	return slices.DeleteFunc(l.of("tsc-unstable"), func(e Event) bool {
		return e.Reason == "" || !strings.Contains(strings.ToLower(e.Reason), reason)
	})
}

// compared returns the first comparison that marked the clock unstable and for which a condition holds. If no
// comparison marked it, skipped checks count, which are never the reason for a mark.
func (l log) compared(holds func(comparison) bool) (comparison, bool) {
	marked := len(l.of("tsc-unstable")) > 0 || slices.ContainsFunc(l.of("read-back-delay"), Event.Marks) ||
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

// Causes are the kinds of causes, in the order of their rules, without the always harmless ones.
func Causes() []string {
	var kinds []string
	for _, r := range slices.Concat(reasons(), otherRules()) {
		if !r.Harmless && !slices.Contains(kinds, r.Kind) { // a kind may have several rules
			kinds = append(kinds, r.Kind)
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
	for _, r := range reasons() {
		if cause, ok := r.on(l); ok {
			causes = append(causes, cause)
			break
		}
	}
	for _, r := range otherRules() {
		if cause, ok := r.on(l); ok {
			causes = append(causes, cause)
		}
	}
	return causes
}
