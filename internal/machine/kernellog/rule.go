package kernellog

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

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
	texts.Entry
	kind string // of its cause
	functions
}

// functions are what a rule cannot have as a text.
type functions struct {
	holds func(log, comparison) bool // a condition on one comparison of the watchdog. The evidence are its lines.
	// lines returns the evidence; with holds, more of it. Without either, it is the lines of the same kind. Without
	// evidence there is no cause.
	lines func(log) []Event
	// say completes a cause that has its evidence, if the file cannot have its text. Without a text there is no cause.
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
		r := rule{e, kind, of[e.Name]}
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
	cause := Cause{Kind: r.kind}
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
		cause.fill(r.Entry, l, c)
		if r.say != nil {
			r.say(&cause, l, c)
		}
	}
	if cause.Evidence = withoutRepeats(cause.Evidence); len(cause.Evidence) > 0 && !cause.Harmless {
		cause.Evidence = append(cause.Evidence, l.of("another-machine")...)
	}
	return cause, cause.Text != "" && len(cause.Evidence) > 0
}

// A material holds what the texts of a rule are made of: the cause, the log, and a comparison of clocks.
type material struct {
	Cause
	log
	comparison
}

// lastedNS returns the time from the first line of the evidence to the last, in ns; 0 if it is unknown.
func (t material) lastedNS() float64 {
	first, timed := t.line().clockedNS()
	last, also := t.Evidence[len(t.Evidence)-1].clockedNS()
	return words.Either(timed && also, last-first, 0)
}

// line returns the first line of the evidence.
func (t material) line() Event { return t.Evidence[0] }

// figures return the figures of a cause by the words that stand for them in its text.
var figures = map[string]func(t material) string{
	"{clock}":  func(t material) string { return t.line().Clock },
	"{line}":   func(t material) string { return t.line().Line },
	"{name}":   func(t material) string { return cmp.Or(t.line().Name, "The time service") },
	"{reason}": func(t material) string { return t.line().Reason },
	"{cpus}":   func(t material) string { return cpuNames(t.Evidence[:1]) },
	"{skew}":   func(t material) string { return moreOrLess(t.line().SkewNS) },
	"{delay}": func(t material) string {
		delay := t.line().DelayNS
		return words.Either(delay > 0, span(delay), "an unknown time")
	},
	"{rate}": func(t material) string { return t.line().rate().String() },
	"{took}": func(t material) string { return t.line().readTook() },
	"{why}":  func(t material) string { return t.whyFalse(t.line()) },
	"{erratum}": func(t material) string {
		return words.Either(t.line().Kind == "erratum", t.line().Name, "an erratum of the counter")
	},
	"{correction}": func(t material) string { return t.line().correction() },
	"{all cpus}":   func(t material) string { return cpuNames(t.Evidence) },

	"{both}":     func(t material) string { return cmp.Or(t.both(), "The watchdog marked the TSC") },
	"{off}":      func(t material) string { return t.off() },
	"{watchdog}": func(t material) string { return t.watchdog.name },
	"{all ones}": func(t material) string { return strconv.FormatUint(t.watchdog.mask, 16) },
	"{clock advanced}": func(t material) string {
		text, _ := t.clock.advanced("cycles")
		return text
	},
	"{difference}":     func(t material) string { return span(t.skewNS) },
	"{ppm}":            func(t material) string { return words.ThreeDigits(math.Abs(t.ppm())) },
	"{late}":           func(t material) string { return span(t.watchdog.ns - dueNS) },
	"{least late}":     func(t material) string { return span(t.lateNS()) },
	"{first rate}":     func(t material) string { return inHz(t.firstRate().hz) },
	"{by first rate}":  func(t material) string { return span(t.clock.ticks / t.firstRate().hz * 1e9) },
	"{lowest rate}":    func(t material) string { return inHz(t.Evidence[0].Hz) },
	"{highest rate}":   func(t material) string { return inHz(t.Evidence[1].Hz) },
	"{apart}":          func(t material) string { return words.ThreeDigits((t.Evidence[1].Hz/t.Evidence[0].Hz - 1) * 1e6) },
	"{refined rate}":   func(t material) string { return inHz(t.of("tsc-refined")[0].Hz) },
	"{measured rate}":  func(t material) string { return fmt.Sprintf("%.3f MHz", t.of("tsc-refined")[0].Hz/1e6) },
	"{fitting rate}":   func(t material) string { return fmt.Sprintf("%.3f MHz", t.of("tsc-refined")[0].Hz*(1+t.ppm()/1e6)/1e6) },
	"{in use}":         func(t material) string { return t.machine.ClockSource },
	"{counter}":        func(t material) string { return inCycles(int64(t.clock.now), t.clock.rate) },
	"{uptime}":         func(t material) string { return span(float64(t.at.AtNS)) },
	"{uptime of line}": func(t material) string { return span(float64(t.Evidence[len(t.Evidence)-1].AtNS)) },
	"{bit}": func(t material) string {
		bit, _, _ := t.misread()
		return strconv.Itoa(bit)
	},
	"{ticks}": func(t material) string {
		_, ticks, _ := t.misread()
		return words.Number(ticks)
	},

	"{stuck}":        func(t material) string { return t.stuck(t.of(t.line().Kind)) },
	"{stalled cpus}": func(t material) string { return cpuNames(t.of("stalled", "stalled-cpu")) },
	"{host}": func(t material) string {
		return words.Either(NamesRealMachine(t.machine.Firmware), "", " or the host of a virtual machine pauses it")
	},
	"{holder}": func(t material) string { return t.holder() },
	"{years}": func(t material) string {
		var all []string
		years, _ := t.line().leapYears()
		for _, year := range years {
			all = append(all, strconv.Itoa(year))
		}
		return words.List(all)
	},
	"{kernel of year}": func(t material) string {
		year := t.firstYear()
		return words.Either(year == firstYear, "the kernel", "the kernel, "+t.machine.Kernel+",") + " is from " + year
	},
	"{cpu}":    func(t material) string { return t.machine.CPU },
	"{writer}": func(t material) string { return words.Either(t.machine.Guest, "hypervisor", "firmware") },
	"{parameter}": func(t material) string {
		named := words.Either(strings.HasSuffix(t.line().Reason, "notsc"), "notsc", "tsc=unstable")
		return cmp.Or(t.parameter("tsc=unstable", "notsc"), named)
	},
	"{hidden}": func(t material) string { return t.parameter(hidden...) },
	"{steps}": func(t material) string {
		n, most := t.steps().n, t.largestStep()
		by := words.Either(n > 1, ", by up to ", ", by ") + span(most)
		return words.Plural(n, "time") + words.Either(most > 0, by, "")
	},
	"{largest step}": func(t material) string {
		var most float64
		for _, e := range t.Evidence {
			most = max(most, math.Abs(e.StepNS))
		}
		return words.Either(most > 0, span(most), "far")
	},
	"{step}": func(t material) string { return behind(t.line().StepNS) },
	"{wrong by}": func(t material) string {
		last := t.Evidence[len(t.Evidence)-1]
		least := words.Either(last.Name == "S3", "", "at least ") // S3 has both times
		for _, e := range t.Evidence {                            // of several lower bounds
			if least != "" && math.Abs(e.StepNS) > math.Abs(last.StepNS) {
				last = e
			}
		}
		switch {
		case last.Name == "apt":
			return least + last.Reason + " behind"
		case math.Abs(last.StepNS) > 0:
			return least + behind(last.StepNS)
		case last.Reason != "":
			return last.Reason
		}
		limits := map[string]string{ // krb5.conf(5): clockskew; Amazon S3: RequestTimeTooSkewed
			"Kerberos": "more than it allows (usually 5 minutes) away from the KDC, such as a domain controller",
			"S3":       "more than 15 minutes off",
		}
		return cmp.Or(limits[last.Name], "further off than it allows")
	},
	"{who compared}": func(t material) string {
		return words.Either(strings.HasPrefix(t.line().Line, "NTP: "), "w32tm", "A database")
	},
	"{rtc off}":     func(t material) string { return t.lastShown().rtcOff() },
	"{rtc was off}": func(t material) string { return t.beforeWritten().rtcOff() },
	"{largest jump}": func(t material) string {
		jumps, _ := t.shownJumps()
		return span(max(slices.Max(jumps), -slices.Min(jumps)) * 1e9)
	},
	"{swing}": func(t material) string {
		most := slices.MaxFunc(t.Evidence, func(a, b Event) int { return cmp.Compare(math.Abs(a.SkewNS), math.Abs(b.SkewNS)) })
		return span(math.Abs(most.SkewNS))
	},
	"{how long}": func(t material) string { return words.Either(t.line().Reason != "", " ("+t.line().Reason+")", "") },
	"{back}":     func(t material) string { return span(overflowOfOldNS - t.skewNS) },
	"{lasted}":   func(t material) string { return span(t.lastedNS()) },
	"{difference of peers}": func(t material) string {
		lasts := func(e Event) time.Duration {
			size, _ := time.ParseDuration(strings.ReplaceAll(e.Reason, " ", ""))
			return size
		}
		most := slices.MaxFunc(t.Evidence, func(a, b Event) int { return cmp.Compare(lasts(a), lasts(b)) })
		return cmp.Or(most.Reason, "more than they allow")
	},
	"{times}": func(t material) string {
		n, _ := repeats(t.Evidence)
		return words.Either(n > 1, fmt.Sprintf("%d times ", n), "")
	},
	"{off by}": func(t material) string {
		last := t.Evidence[len(t.Evidence)-1]
		if last.StepNS == 0 {
			return words.Either(last.Reason != "", last.Reason+" off", "far off")
		}
		return behind(last.StepNS)
	},
	"{offset}": func(t material) string { return behind(t.wrongByNS()) },
	"{far}":    func(t material) string { return span(math.Abs(t.Evidence[len(t.Evidence)-1].SkewNS)) },
	"{slew time}": func(t material) string {
		const fastest = 0.083333 // of the time that passes: maxslewrate of chrony.conf(5)
		return span(t.wrongByNS() / fastest)
	},
	"{mark}": func(t material) string { return strconv.Quote(t.marking("")[0].Reason) },
	"{how}":  func(t material) string { return t.howCPUsDiffer() },
	"{compared}": func(t material) string {
		cpus := t.of("sync-checked")[0].CPUs
		return fmt.Sprintf("the TSC of CPU %d with %d other CPUs", cpus[0], len(cpus)-1)
	},
	"{missed cpu}":      func(t material) string { return cpuNames(t.of("timer-missed")[:1]) },
	"{compensated cpu}": func(t material) string { return cpuNames(t.of("tsc-adjust-compensate")[:1]) },
	"{compensated}": func(t material) string {
		return words.Number(math.Abs(float64(t.of("tsc-adjust-compensate")[0].Cycles)))
	},
}

// facts are what texts of the files depend on, by their names there: "also if guest". The words after a name are its
// arguments.
var facts = map[string]func(t material, arguments []string) bool{
	"difference-known": func(t material, _ []string) bool { return math.Abs(t.skewNS) >= 1e6 },
	"uses":             func(t material, names []string) bool { return slices.Contains(names, t.machine.ClockSource) },
	"unused":           func(t material, _ []string) bool { return t.unused() },
	"xen":              func(t material, _ []string) bool { return t.machine.Hypervisor == "xen" },
	"future-year":      func(t material, _ []string) bool { return t.line().inFuture() },
	"clocks": func(t material, names []string) bool { // of Elasticsearch
		return slices.ContainsFunc(t.of("program-stopped"), func(e Event) bool { return slices.Contains(names, e.Name) })
	},
	"offset-changes": func(t material, _ []string) bool {
		last := len(t.Evidence) - 1
		return math.Abs(t.Evidence[last].StepNS-t.Evidence[0].StepNS) > 0.1e9*float64(last+1)
	},
	"wsl": func(t material, _ []string) bool {
		return strings.Contains(strings.ToLower(t.machine.Kernel), "microsoft")
	},
	"guest":             func(t material, _ []string) bool { return t.machine.Guest },
	"real-machine":      func(t material, _ []string) bool { return NamesRealMachine(t.machine.Firmware) },
	"lost-time":         func(t material, _ []string) bool { return t.lostTime(t.log) },
	"cpu-known":         func(t material, _ []string) bool { return t.machine.CPU != "" },
	"parameters-known":  func(t material, _ []string) bool { return len(t.machine.Parameters) > 0 },
	"set":               func(t material, names []string) bool { return t.parameter(names...) != "" },
	"timers-hidden":     func(t material, _ []string) bool { return t.parameter(hidden...) != "" },
	"parameter-ignored": func(t material, _ []string) bool { return t.ignoresParameter() },
	"logs":              func(t material, kinds []string) bool { return len(t.of(kinds...)) > 0 },
	"contradicts":       func(t material, _ []string) bool { return t.flagContradicts() },
	"holder":            func(t material, _ []string) bool { return t.holder() != "" },
	"oops-before": func(t material, _ []string) bool {
		oops := t.of("oops")
		return len(oops) > 0 && oops[0].Index < t.line().Index
	},
	"task-stalled": func(t material, _ []string) bool { return len(t.of("stalled-task")) > 0 && !t.cpuStalled() },
	"stopped-idle": func(t material, _ []string) bool { return t.stoppedIdle() },
	"idle-stalled": func(t material, _ []string) bool { return t.idleStalled() },
	"line-is":      func(t material, kinds []string) bool { return slices.Contains(kinds, t.line().Kind) },
	"ptp-off": func(t material, how []string) bool {
		const tai, near, decades = 37e9, 1e9, 20 * 365 * 86400e9 // ns
		off := t.Evidence[len(t.Evidence)-1].SkewNS              // of the clock that it sets
		return map[string]bool{
			"by-tai":       t.line().Name == "phc2sys" && math.Abs(math.Abs(off)-tai) < near,
			"source-unset": off > decades,
			"unset":        off < -decades,
		}[how[0]]
	},
	"marked": func(t material, _ []string) bool { return len(t.marking("")) > 0 },
	"leap-years": func(t material, number []string) bool {
		years, _ := t.line().leapYears()
		return number[0] == strconv.Itoa(len(years))
	},
	"cpus-compared": func(t material, _ []string) bool { return t.comparedCPUs() },
	"held-up":       func(t material, _ []string) bool { return len(t.heldUp()) > 0 },
	"ends-on-ticks": func(t material, _ []string) bool { return slices.Contains(weakWatchdogs, t.machine.ClockSource) },
	"stepped-by":    func(t material, of []string) bool { return SteppedBy(t.log.events, of[0]) },
	"set-by": func(t material, names []string) bool {
		return slices.ContainsFunc(t.of("stepped"), func(e Event) bool { return slices.Contains(names, e.Name) })
	},
	"programs-only": func(t material, _ []string) bool {
		return !slices.ContainsFunc(t.log.events, func(e Event) bool { return !e.Program })
	},
	"half-hours": func(t material, _ []string) bool {
		const half, near = 1800e9, 120e9 // ns
		off := math.Abs(t.Evidence[len(t.Evidence)-1].StepNS)
		return off > half/2 && off < 28*half && math.Abs(math.Remainder(off, half)) < near
	},
	"set-back-late": func(t material, _ []string) bool {
		return slices.ContainsFunc(t.Evidence, func(e Event) bool { return e.Back && e.Timed && e.AtNS > longStepNS })
	},
	"rtc-set-since": func(t material, _ []string) bool {
		return len(t.since("rtc-written", "rtc-unset")) > 0 && len(t.since("rtc-shown", "rtc-written")) > 0
	},
	"other-rtc": func(t material, _ []string) bool { return len(t.of("rtc-unset")) > 0 && len(t.onlyRTC()) == 0 },
	"lasts": func(t material, _ []string) bool { // by one process
		process, _, _ := strings.Cut(t.line().Line, ": ")
		return t.lastedNS() >= 300e9 && strings.HasPrefix(t.Evidence[len(t.Evidence)-1].Line, process)
	},
	// every other clock source of x86 is slower
	"better-in-use": func(t material, _ []string) bool {
		return t.machine.ClockSource == "tsc" && t.line().Clock != "tsc"
	},
	"before-4.17": func(t material, _ []string) bool {
		return t.machine.Kernel == "" || Older(t.machine.Kernel, 4, 17)
	},
	"seldom": func(t material, _ []string) bool {
		n, mean := repeats(t.Evidence)
		return n == 1 || mean > longStepNS
	},
	"off":        func(t material, _ []string) bool { return t.wrongByNS() != 0 },
	"skew-known": func(t material, _ []string) bool { return t.line().SkewNS != 0 },
	"doubted":    func(t material, _ []string) bool { return len(t.doubts()) > 0 },

	"tsc-early": func(t material, _ []string) bool { return t.clock.name == "tsc-early" },
	"far-apart": func(t material, _ []string) bool {
		const far = 100e3 // ppm: more than a busy machine or a calibration explains
		return t.known() && t.watchdog.ns > shortNS && math.Abs(t.ppm()) > far
	},
	// Kernels that print the intervals measure the rate before they use the clock source tsc.
	"printed": func(t material, _ []string) bool { return t.clock.printed },
	"beyond-a-round": func(t material, _ []string) bool {
		const longest = 300.0 // s, at 14.3 MHz
		return t.watchdog.name == "hpet" && t.watchdog.mask < 1<<32 && t.clock.ticks > longest*fastestHz
	},
	"refined-before":  func(t material, _ []string) bool { return t.refinedBefore(t.comparison) },
	"on-time":         func(t material, _ []string) bool { return t.clockWasOnTime() },
	"intervals-known": func(t material, _ []string) bool { return t.known() },
	"may-agree": func(t material, _ []string) bool { // if the TSC has a rate as of today's hosts
		hz := t.clock.ticks / t.watchdog.ns * 1e9
		return !t.known() && hz > 1e9 && hz < fastestHz
	},
	"watchdog-ahead": func(t material, _ []string) bool { return t.watchdog.ns > t.clock.ns },
	"long-interval":  func(t material, _ []string) bool { return t.clock.ns > 1e9 },
	"skipped":        func(t material, _ []string) bool { return t.long },
	"differs":        func(t material, _ []string) bool { return math.Abs(t.ppm()) > agreePPM },
	"interval-known": func(t material, _ []string) bool {
		least, _ := t.limits()
		return !math.IsNaN(least)
	},
}

// fill fills in the fields of a rule, with figures in place of the words in braces.
func (c *Cause) fill(of texts.Entry, l log, x comparison) {
	all := material{*c, l, x}
	of = of.Holding(func(fact []string) bool { return facts[fact[0]](all, fact[1:]) })
	figure := func(word string) string {
		if of := figures[word]; of != nil {
			return of(all)
		}
		return word
	}
	c.Harmless, c.Inferred = of.Get("harmless") == "yes", of.Get("inferred") == "yes"
	c.Title, c.TSC = texts.Fill(of.Get("title"), figure), Judgement(of.Get("tsc"))
	if text := of.Get("text"); text != "" {
		c.Text = texts.Fill(strings.Join(append([]string{text}, of.All("also")...), " "), figure)
	}
	c.Concerns = cmp.Or(Subject(of.Get("concerns")), OfTSC)
	if c.Concerns == ofItsClock {
		c.Concerns = subjectOf(c.Evidence[0].Clock)
	}
}

// ofItsClock stands for the subject of a cause about the clock source in its first line.
const ofItsClock Subject = "its clock source"

const maxEvidence = 30 // a bound on the lines of evidence of a cause

// withoutRepeats drops lines that others repeat. After a line that stands for several lines, the last of these stays: its
// count does not include that one.
func withoutRepeats(events []Event) []Event {
	var kept []Event
	for _, e := range events {
		if !slices.ContainsFunc(kept, func(k Event) bool { return k.Line == e.Line && k.Count <= 1 }) && len(kept) < maxEvidence {
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
