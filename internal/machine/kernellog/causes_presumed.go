package kernellog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

// correction returns by how much the kernel corrects its clock: " by -16.2 % (multiplier 5419175, …)"; "" if it is not
// in the line. The limit in the line is the nominal multiplier and 11 % (timekeeping_apply_adjustment).
func (e Event) correction() string {
	if e.Now == 0 || e.Last == 0 {
		return ""
	}
	percent, nominal := (float64(e.Now)*1.11/float64(e.Last)-1)*100, int64(math.Round(float64(e.Last)/1.11))
	return fmt.Sprintf(" by %+.1f %% (multiplier %d, nominal %d, from the line's limit of 11 %%)", percent, e.Now, nominal)
}

func xenByDesign(l log) []Event {
	xen, marked := l.of("xen-guest"), l.marking("tscs unsynchronized")
	if len(marked) == 0 || len(xen) == 0 && l.machine.Hypervisor != "xen" && l.machine.ClockSource != "xen" {
		return nil
	}
	return append(xen, marked...)
}

// harmlessErrata are errata of Arm's counter that concern 32-bit programs only (arch/arm64/Kconfig)
var harmlessErrata = []string{"1418040", "1188873"}

func trapped(l log) []Event {
	return those(func(_ log, e Event) bool {
		return !slices.ContainsFunc(harmlessErrata, func(h string) bool { return strings.Contains(e.Name, h) })
	}, "erratum", "counter-trapped")(l)
}

// otherFunctions are the functions of the rules of others.txt.
var otherFunctions = map[string]functions{
	"rates-vary": {lines: func(l log) []Event {
		least, most := l.bootRates()
		const others = 0.01 // a larger difference is of two machines
		apart := most.Hz/least.Hz - 1
		return words.Either(apart > agreePPM/1e6 && apart < others, []Event{least, most}, nil)
	}},
	"no-rate": {lines: those(func(_ log, e Event) bool {
		return !(e.Hz > 0)
	}, "clocksource-registered", "hpet-rate", "arm-counter-rate")},
	"stamps-go-back": {lines: those(func(l log, e Event) bool {
		// The kernel doubts the TSC too; afterwards its stamps are of each CPU's own (kernel/sched/clock.c).
		marked := slices.IndexFunc(l.events, Event.Marks)
		return !l.machine.Guest && marked >= 0 && e.Index < l.events[marked].Index
	}, "stamps-go-back")},
	"no-vdso-clocks": {lines: those(func(l log, e Event) bool {
		return e.Name == "phys" && l.machine.Arch == "arm"
	}, "arm-counter-rate")},
	"only-ticks": {lines: those(func(l log, e Event) bool {
		return e.Clock == l.machine.ClockSource && slices.Contains(weakWatchdogs, e.Clock)
	}, "clocksource-switched")},
	"ends-on-pit": {lines: those(func(l log, e Event) bool {
		return e.Clock == "pit" && l.machine.ClockSource == "pit" && l.parameter("clocksource=pit", "clock=pit") == "" &&
			slices.ContainsFunc(l.events, Event.Marks) && !slices.ContainsFunc(l.events, ofBetterTimer)
	}, "clocksource-switched")},
	"late-check":         {lines: those(func(_ log, e Event) bool { return !e.Measured }, "long-readout")},
	"watchdog-timed-out": {lines: watchdogTimedOut},
	"32-bit-erratum":     {lines: those(func(l log, _ Event) bool { return len(trapped(l)) == 0 }, "erratum")},

	"stepped-again": {say: func(c *Cause, l log, _ comparison) { c.Text = l.steppedAgain() }},
	"stepped": {lines: func(l log) []Event {
		lines := l.of("stepped")
		return words.Either(len(lines) > 0 && l.steppedAgain() == "" && len(steppedAndBack(l)) == 0, lines, nil)
	}},
	"stepped-and-back": {lines: steppedAndBack},
	"set-by-another":   {lines: setByAnother},
	"jumped":           {lines: func(l log) []Event { return words.Either(setByAnother(l) == nil, l.of("jumped"), nil) }},
	"off-again":        {lines: offAgain},
	"slewing": {lines: func(l log) []Event {
		const far = 60e9 // ns, which take 33 hours
		lines := l.sinceStep("slewing")
		if i := len(lines) - 1; i < 0 || lines[i].StepNS != 0 && math.Abs(lines[i].StepNS) < far {
			return nil
		}
		return lines
	}},
	"slewing-lost": {lines: slewingLost},
	"step-failed": {lines: func(l log) []Event {
		failed := l.sinceStep("step-failed")
		return append(failed, words.Either(len(failed) > 0, l.sinceStep("time-off"), nil)...)
	}},
	"servers-silent": {lines: serversSilent},
	"no-source": {lines: func(l log) []Event {
		return l.since("no-source", "server-reached", "time-off", "stepped", "status-synchronized")
	}},
	"chronyd-ended": {lines: func(l log) []Event {
		return l.since("chronyd-ended", "server-reached", "time-off", "stepped", "status-synchronized", "no-source", "chronyd-started")
	}},
	"asked-far": {lines: func(l log) []Event { return l.since("asked-far", "stepped", "server-reached", "servers-near") }},
	"no-answer": {lines: func(l log) []Event { return l.since("no-answer", "servers-near", "asked-far", "stepped") }},
	"no-answer of-a-pool": {lines: func(l log) []Event {
		asked := l.since("asked-once", "stepped", "server-reached", "servers-near", "no-answer")
		if len(asked) == 0 {
			return nil
		}
		pool := slices.DeleteFunc(l.of("pool-asked"), func(e Event) bool { return e.Index < asked[0].Index })
		return words.Either(len(pool) > 0, append(pool, asked...), nil)
	}},
	"samples-scatter": {lines: func(l log) []Event {
		rows := l.of("samples-scatter")
		another := func(e Event) bool { return e.Name != rows[0].Name }
		return words.Either(slices.ContainsFunc(rows, another), rows, nil)
	}},
	"time-off": {lines: func(l log) []Event { return words.Either(serversApart(l) == nil, l.of("time-off"), nil) }},
	"node-off": {lines: those(func(_ log, e Event) bool {
		return math.Abs(e.StepNS) >= 0.1e9 // the answers of a far server may be late by half as much
	}, "node-compared")},
	"servers-disagree by-offsets": {lines: serversApart},
	"servers-disagree": {lines: func(l log) []Event {
		if serversApart(l) != nil {
			return nil
		}
		return l.since("servers-disagree", "server-reached", "status-synchronized")
	}},
	"maxchange-exceeded": {lines: func(l log) []Event {
		return l.since("maxchange-exceeded", "server-reached", "stepped", "status-synchronized")
	}},
	"still-off": {lines: func(l log) []Event { return l.sinceStep("still-off") }},
	"windows-off": {lines: func(l log) []Event { // Windows is off by seconds between two synchronisations
		const far, changes = 10e9, 0.1e9 // ns, and ns a row
		rows := l.since("windows-off", "servers-near", "server-reached", "stepped")
		if len(rows) == 0 {
			return nil
		}
		first, last := rows[0].StepNS, rows[len(rows)-1].StepNS
		return words.Either(math.Abs(last) >= far || math.Abs(last-first) > changes*float64(len(rows)), rows, nil)
	}},
	"status-without-server": {lines: func(l log) []Event { return l.since("status-without-server", "server-reached") }},
	"status-synchronized":   {lines: func(l log) []Event { return l.since("status-synchronized", "free-running") }},
	"free-running":          {lines: func(l log) []Event { return l.since("free-running", "status-synchronized") }},
	"own-clock":             {lines: func(l log) []Event { return l.since("own-clock", "server-reached") }},
	"peers-differ":          {lines: func(l log) []Event { return l.since("peers-differ", "peers-agree-again", "stepped") }},
	"windows-silent":        {lines: func(l log) []Event { return l.since("windows-silent", "server-reached", "stepped", "servers-near") }},
	"windows-far":           {lines: func(l log) []Event { return l.since("windows-far", "server-reached", "stepped") }},
	"guest-far": {lines: func(l log) []Event { // 5 minutes take a week at 500 ppm, and VirtualBox sets a clock beyond 20
		const far, step = 300e9, 1200e9 // ns
		drift := l.sinceStep("guest-far")
		if len(drift) == 0 {
			return nil
		}
		last := drift[len(drift)-1:]
		off := math.Abs(last[0].StepNS)
		return words.Either(off >= far && off <= step, last, nil)
	}},
	"time-wait": {lines: func(l log) []Event { return l.since("time-wait", "time-wait-over") }},
	"ntpd-ended": {lines: func(l log) []Event {
		return l.since("ntpd-ended", "stepped", "server-reached", "status-synchronized")
	}},
	"rate-far": {lines: func(l log) []Event {
		lines := l.of("rate-far")
		return lines[max(len(lines)-1, 0):]
	}},
	"ptp-rate": {lines: func(l log) []Event {
		lines := l.since("ptp-rate", "ptp-near", "ptp-loose", "ptp-far")
		n, _ := repeats(lines)
		return words.Either(n >= minSteps, lines, nil)
	}},
	"ptp-slow-read": {lines: func(l log) []Event { // over PCIe a read takes a few µs
		const slow, least = 20e3, 7 // ns, and lines
		near := those(func(_ log, e Event) bool { return e.Name == "phc2sys" }, "ptp-near")(l)
		if n, _ := repeats(near); n < least {
			return nil
		}
		slices.SortStableFunc(near, func(a, b Event) int { return cmp.Compare(a.DelayNS, b.DelayNS) })
		return words.Either(near[0].DelayNS >= slow, near, nil)
	}},
	"ptp-loose":         {lines: ptpLoose},
	"ptp-loose runaway": {lines: ptpRunsAway},
	"ptp-wrapped":       {lines: ptpWrapped},
	"ptp-jumped":        {lines: func(l log) []Event { return words.Either(ptpWrapped(l) == nil, l.of("ptp-jumped"), nil) }},
	"ptp-far": {lines: func(l log) []Event { // the first summary of ptp4l has the offset before its first step
		far := l.since("ptp-far", "ptp-near", "ptp-loose", "ptp-rate")
		if len(far) < 2 {
			far = l.since("ptp-start", "ptp-near", "ptp-loose", "ptp-rate", "ptp-far")
		}
		const decades = 20 * 365 * 86400e9 // ns: no clock is so far ahead of one that was ever set
		if start := l.of("ptp-start"); len(far) == 0 && len(start) > 0 && start[len(start)-1].SkewNS > decades {
			far = start[len(start)-1:]
		}
		return words.Either(ptpWrapped(l) == nil, far, nil)
	}},
	"not-stepped": {lines: func(l log) []Event {
		const far = 60e9 // ns, which take 12 minutes without a step
		off := l.sinceStep("time-off")
		if len(off) == 0 || len(l.sinceStep("step-failed")) > 0 || len(l.of("rate-beyond-limit")) > 0 ||
			len(offAgain(l)) > 0 || serversApart(l) != nil {
			return nil
		}
		last := off[len(off)-1]
		disagree := func(e Event) bool { return e.Index > last.Index }
		if last.Name == "ntpd" || math.Abs(last.StepNS) < far || slices.ContainsFunc(l.of("servers-disagree"), disagree) {
			return nil
		}
		return off
	}},
	"off-again after-a-step": {lines: func(l log) []Event { // BusyBox's ntpd logs every reply
		set := slices.ContainsFunc(l.of("stepped"), func(e Event) bool { return e.Name == "ntpd" })
		return slices.DeleteFunc(l.sinceStep("time-off"), func(e Event) bool { return !set || !strings.Contains(e.Line, "reply from ") })
	}},
	"service-failed": {lines: func(l log) []Event {
		return l.since("service-failed", "service-started", "service-stopped", "service-runs", "chronyd-started", "server-reached",
			"stepped", "status-synchronized")
	}},
	"other-marked": {lines: those(func(l log, e Event) bool {
		return !strings.HasPrefix(e.Clock, "tsc") && l.machine.ClockSource != "" && e.Clock != l.machine.ClockSource
	}, "watchdog-verdict")},
	"servers-listed": {lines: serversListed},
	"no-sources-listed": {lines: func(l log) []Event { // of chronyc, whose rows begin with ^, # or =
		rows := those(func(_ log, e Event) bool {
			return strings.IndexAny(e.Line, "^#=") == 0
		}, "servers-listed", "status-synchronized", "still-off", "refclock-silent")(l)
		heads := those(func(_ log, e Event) bool { return strings.HasPrefix(strings.ToLower(e.Line), "ms name") }, "servers-listed")(l)
		return words.Either(len(rows) == 0, heads, nil)
	}},
	"server-answered": {lines: func(l log) []Event {
		if serversApart(l) != nil {
			return nil
		}
		return l.since("server-reached", "server-silent", "no-source", "no-answer", "windows-silent", "chronyd-ended", "ntpd-ended",
			"service-failed", "not-synchronized", "servers-disagree", "status-without-server", "status-without-answer", "step-failed")
	}},
	"false-leap-second": {lines: falseLeaps},
	"leap-second":       {lines: trueLeaps},
	"rtc-unset": {lines: func(l log) []Event {
		found := l.of("rtc-unset")
		return append(found, words.Either(len(found) > 0, l.of("time-behind"), nil)...)
	}},
	"time-behind": {lines: func(l log) []Event {
		return words.Either(len(l.of("rtc-unset")) == 0 && len(wrongYear(l)) == 0, l.of("time-behind"), nil)
	}},
	"rtc-differs": {lines: func(l log) []Event {
		last := l.lastShown()
		return words.Either(last.isFar() && !l.rtcHasLocalTime(), last.lines(), nil)
	}},
	"rtc-off-by-zone": {lines: func(l log) []Event { return words.Either(l.rtcHasLocalTime(), l.lastShown().lines(), nil) }},
	"rtc-was-off": {lines: func(l log) []Event {
		before := l.beforeWritten()
		return words.Either(before.isFar() && !l.lastShown().isFar(), before.lines(), nil)
	}},
	"shown-back-and-forth": {lines: backAndForth},
	"hyperv-resumed": {lines: those(func(_ log, e Event) bool {
		return e.Timed && (e.AtNS > bootedNS || e.Count > 1) && strings.Contains(e.Line, "TimeSync IC version")
	}, "hyperv-guest")},
	"rtc-unset by-its-year": {lines: wrongYear},
	"time-refused": {lines: func(l log) []Event {
		near := func(e Event) bool { // clocks that are synchronised may differ by seconds
			return e.StepNS != 0 && math.Abs(e.StepNS) < 60e9
		}
		return slices.DeleteFunc(l.since("time-refused", "server-reached", "stepped", "status-synchronized"), near)
	}},
	"slow-interrupt": {lines: those(func(_ log, e Event) bool {
		return e.DelayNS >= 1e6 // shorter ones are common
	}, "slow-interrupt")},
	"cyclictest": {lines: those(func(_ log, e Event) bool {
		return e.DelayNS >= 1e6 // what a program without a real-time policy sees too
	}, "cyclictest")},
	"stalled": {lines: stalledOrStopped},
}

const bootedNS = 120e9 // a time since boot at which the drivers are loaded, in ns

// ofBetterTimer is whether a line shows that the kernel has a timer that is better than the PIT.
func ofBetterTimer(e Event) bool {
	return e.Kind == "clocksource-registered" && (e.Clock == "hpet" || e.Clock == "acpi_pm") || e.Kind == "hpet-rate"
}

// ptpWrapped returns the lines with offsets that a wrapped counter explains, if there are several.
func ptpWrapped(l log) []Event {
	const wrap, near = 1 << 29, 1000 // ns
	found := those(func(_ log, e Event) bool { return math.Abs(math.Remainder(e.SkewNS, wrap)) < near }, "ptp-far")(l)
	return words.Either(len(found) > 1, found, nil)
}

// ptpLoose returns the lines of phc2sys with offsets that are larger than a read takes, to both sides, if they are most of
// its lines and do not get smaller.
func ptpLoose(l log) []Event {
	const least = 10 // lines
	loose := those(func(_ log, e Event) bool { return e.DelayNS > 0 && math.Abs(e.SkewNS) > e.DelayNS }, "ptp-loose")(l)
	near, _ := repeats(those(func(_ log, e Event) bool { return e.Name == "phc2sys" }, "ptp-near")(l))
	n, _ := repeats(loose)
	if n < max(least, near) {
		return nil
	}
	var ahead, behind, late float64
	for i, e := range loose {
		ahead, behind = max(ahead, e.SkewNS), max(behind, -e.SkewNS)
		if i >= len(loose)/2 {
			late = max(late, math.Abs(e.SkewNS))
		}
	}
	return words.Either(min(ahead, behind) > 0 && late > max(ahead, behind)/2, loose, nil)
}

// ptpRunsAway returns the last lines of a program whose offset only grows. It must also get more digits: lines with the
// same number of digits may be folded, and then show the first and the last offset only.
func ptpRunsAway(l log) []Event {
	const least, far, times = 10, 10e3, 3 // lines, and ns
	for _, name := range []string{"phc2sys", "ptp4l"} {
		var run []Event
		for _, e := range those(func(_ log, e Event) bool { return e.Name == name }, "ptp-near", "ptp-loose")(l) {
			if i := len(run) - 1; i >= 0 && (e.SkewNS*run[i].SkewNS <= 0 || math.Abs(e.SkewNS) < math.Abs(run[i].SkewNS)) {
				run = nil
			}
			run = append(run, e)
		}
		if n, _ := repeats(run); n < least {
			continue
		}
		first, last := math.Abs(run[0].SkewNS), math.Abs(run[len(run)-1].SkewNS)
		digits := func(ns float64) float64 { return math.Floor(math.Log10(ns)) }
		if last >= max(far, times*first) && digits(last) > digits(first) {
			return run
		}
	}
	return nil
}

// serversListed returns the lines of tables without a selected server. ntpq marks servers with + only beside a selected one,
// and lists a row at least: without one, the table is cut.
func serversListed(l log) []Event {
	rows := those(func(_ log, e Event) bool { return strings.HasPrefix(e.Line, "ntpq: ") }, "server-row", "servers-near", "servers-far")(l)
	combined := func(e Event) bool { return strings.HasPrefix(e.Line, "ntpq: +") }
	listed := slices.DeleteFunc(l.of("servers-listed"), func(e Event) bool {
		head := strings.ToLower(e.Line)
		return len(rows) == 0 && strings.HasPrefix(head, "remote ") || strings.HasPrefix(head, "ms name")
	})
	return words.Either(!slices.ContainsFunc(rows, combined), listed, nil)
}

// onlyRTC returns the lines of real-time clocks without a valid time, unless another one set the wall clock at the boot.
func (l log) onlyRTC() []Event {
	device := func(e Event) string { // by its address, before which old kernels print another name
		name, _, _ := strings.Cut(e.Line, ": ")
		return name[strings.LastIndexByte(name, ' ')+1:]
	}
	read, wrong := l.of("rtc-read"), wrongYear(l)
	return slices.DeleteFunc(l.of("rtc-unset"), func(e Event) bool {
		return !e.Program && len(wrong) == 0 && slices.ContainsFunc(read, func(r Event) bool {
			return strings.Contains(r.Line, "setting system clock") && device(r) != device(e)
		})
	})
}

// bootRates returns the lines with the lowest and the highest rate that the kernel measured first at a boot.
func (l log) bootRates() (least, most Event) {
	for _, e := range l.of("tsc-rate") {
		if !strings.EqualFold(e.Name, "processor") || e.Hz <= slowestHz || e.Hz >= fastestHz {
			continue
		}
		if least.Hz == 0 || e.Hz < least.Hz {
			least = e
		}
		if e.Hz > most.Hz {
			most = e
		}
	}
	return least, most
}

// serversSilent returns the lines on time servers that did not answer, if there are several and no later line shows
// that one did.
func serversSilent(l log) []Event {
	silent := l.since("server-silent", "server-reached", "stepped", "time-off")
	another := func(e Event) bool { return e.Name != silent[0].Name }
	return words.Either(slices.ContainsFunc(silent, another), silent, nil)
}

// serversApart returns two lines of chronyd within a minute, with offsets that differ by more than it corrects
// meanwhile, if it selected another server between them.
func serversApart(l log) []Event {
	const least, near, fastest = 10e9, 60e9, 0.1 // ns, ns, and a part of the time that passes
	off := l.since("time-off", "stepped", "jumped", "status-synchronized", "chronyd-started")
	for i := len(off) - 1; i > 0; i-- {
		a, b := off[i-1], off[i]
		from, timed := a.clockedNS()
		to, also := b.clockedNS()
		selected := func(e Event) bool { return a.Index < e.Index && e.Index < b.Index }
		if timed && also && to >= from && to-from <= near && a.Name == "chronyd" && b.Name == a.Name &&
			math.Abs(a.StepNS-b.StepNS) > least+fastest*(to-from) && slices.ContainsFunc(l.of("server-reached"), selected) {
			return off[i-1 : i+1]
		}
	}
	return nil
}

// repeats returns how often lines report an event, and the mean time from one to the next in ns; NaN if it is unknown.
func repeats(lines []Event) (n int, everyNS float64) {
	for _, e := range lines {
		n += e.Count
	}
	if len(lines) < 2 {
		return n, math.NaN()
	}
	first, timed := lines[0].clockedNS()
	last, _ := lines[len(lines)-1].clockedNS()
	return n, words.Either(timed, (last-first)/float64(n-1), math.NaN())
}

// setByAnother returns the lines on jumps that chronyd noticed, if the clock was set back twice or more, or jumped more
// often than a machine is suspended.
func setByAnother(l log) []Event {
	const every = 600e9 // ns
	jumps, back := l.of("jumped"), 0
	for _, e := range jumps {
		if e.Back {
			back += e.Count
		}
	}
	n, mean := repeats(jumps)
	return words.Either(back >= 2 || n >= minSteps && mean <= every, jumps, nil)
}

// steppedAndBack returns the lines of two steps on a day that cancel each other out. Steps by whole quarters of an hour
// are of a real-time clock that another system set.
func steppedAndBack(l log) []Event {
	const least, near, most, quarter = 2e9, 0.05, 86400e9, 900e9 // ns, a part of the step, and ns
	steps := l.of("stepped")
	if len(steps) > 0 && l.steppedAgain() != "" {
		return nil
	}
	for i := 1; i < len(steps); i++ {
		a, b := steps[i-1], steps[i]
		at, timed := a.clockedNS()
		back, _ := b.clockedNS()
		size := math.Abs(a.StepNS)
		whole := size > quarter/2 && math.Abs(math.Remainder(size, quarter)) < 30e9
		if timed && back-at <= most && !whole && a.Name != "" && a.Name == b.Name && size >= least &&
			math.Abs(a.StepNS+b.StepNS) < near*size {
			return steps[i-1 : i+1]
		}
	}
	return nil
}

// offAgain returns the lines on a wall clock that a time service finds wrong every few minutes, without getting better.
func offAgain(l log) []Event {
	const least, every = 4, 600e9 // times, and ns
	off := l.sinceStep("time-off")
	if n, mean := repeats(off); n < least || !(mean > 0 && mean <= every) || len(l.of("servers-disagree")) > 0 {
		return nil
	}
	largest := func(events []Event) (ns float64) {
		for _, e := range events {
			ns = max(ns, math.Abs(e.StepNS))
		}
		return ns
	}
	if largest(off[len(off)/2:]) < largest(off)/2 {
		return nil
	}
	return off
}

const firstYear = "2006" // of the release of Linux 2.6.17, the first that logs what it read from a real-time clock

// wrongYear returns the lines on a real-time clock with a year before the kernel's, or in the future. Qualcomm's counts
// from a moment that only the firmware knows.
var wrongYear = those(func(l log, e Event) bool {
	return (e.Name < l.firstYear() || e.inFuture()) && !strings.HasPrefix(e.Line, "rtc-pm8xxx")
}, "rtc-read")

// inFuture is whether a real-time clock showed a year in the far future, as an unset clock does.
func (e Event) inFuture() bool { return e.Name >= "2060" }

// firstYear returns a year before which the kernel did not exist.
func (l log) firstYear() string {
	return words.Either(l.machine.Kernel != "" && !Older(l.machine.Kernel, 4, 0), "2015", firstYear)
}

// watchdogTimedOut: the check was skipped. If the kernel also marked the TSC, another rule reports it.
func watchdogTimedOut(l log) []Event {
	found := l.of("read-timed-out", "read-back-delay")
	if len(l.marking("")) > 0 || slices.ContainsFunc(found, Event.Marks) {
		return nil
	}
	return found[:min(len(found), 1)]
}
