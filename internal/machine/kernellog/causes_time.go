package kernellog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/show/words"
)

// stalledOrStopped returns the lines on a CPU or a task that hung. A CPU that was stopped was idle.
func stalledOrStopped(l log) []Event {
	found := append(l.of("stalled"), l.of("stalled-cpu", "stalled-task", "timer-missed")...)
	if counted, idle := l.of("stalled-for"), l.idleTasks(); len(found) > 0 && len(counted) > 0 && len(idle) > 0 {
		found = slices.Concat(found, counted, idle)
	}
	return found
}

// isIdle is whether the program that a line names is the idle task of a CPU.
func (e Event) isIdle() bool { return e.Name == "swapper" || strings.HasPrefix(e.Name, "swapper/") }

// idleTasks returns the lines on CPUs that were idle.
func (l log) idleTasks() []Event {
	return those(func(_ log, e Event) bool { return e.isIdle() }, "task")(l)
}

// stoppedIdle is whether a CPU that stalled was idle, and no other CPU ran meanwhile: RCU looked at none (fqs=0).
func (l log) stoppedIdle() bool {
	looked := func(e Event) bool { return strings.Contains(e.Line, "fqs=") && !strings.Contains(e.Line, "fqs=0") }
	return len(l.idleTasks()) > 0 && !slices.ContainsFunc(l.of("stalled-cpu"), looked)
}

var namesCPU = lazily(`self-detected|\{[^}]*\b\d`) // matches a line on a stall of a CPU, and not of a task: { P392 }

// cpuStalled is whether a line shows that a CPU stalled, and not a task.
func (l log) cpuStalled() bool {
	return slices.ContainsFunc(l.of("stalled", "stalled-cpu"), func(e Event) bool {
		return len(e.CPUs) > 0 || namesCPU().MatchString(e.Line)
	})
}

// idleStalled is whether all CPUs that stalled were idle, by lines after the stall.
func (l log) idleStalled() bool {
	cpus := l.of("stalled-cpu")
	var idle []int
	for _, e := range append(l.idleTasks(), l.of("idle-cpu")...) {
		if len(cpus) > 0 && e.Index > cpus[0].Index {
			idle = append(idle, e.CPUs...)
		}
	}
	busy := func(e Event) bool { return len(e.CPUs) == 0 || !slices.Contains(idle, e.CPUs[0]) }
	return len(cpus) > 0 && !slices.ContainsFunc(cpus, busy) && l.holder() == ""
}

// stuck returns how long CPUs hung, by the longest of the lines: "22 s", "5,252 jiffies (21.01 s)".
func (l log) stuck(lines []Event) string {
	var s, jiffies float64
	least := ""
	for _, e := range lines {
		if s = max(s, float64(e.Cycles)); e.Count > 1 { // a folded line has the figure of the first only
			least = "at least "
		}
	}
	for _, e := range l.of("stalled", "stalled-for", "stalled-since") {
		jiffies = max(jiffies, e.jiffies())
	}
	switch hz := l.ticksPerSecond(); {
	case s > 0:
		return fmt.Sprintf("%s%.0f s", least, s)
	case jiffies > 0 && hz > 0:
		return fmt.Sprintf("%.0f jiffies (%s)", jiffies, span(jiffies/hz*1e9))
	case jiffies > 0:
		return fmt.Sprintf("%.0f jiffies (%s at 1000 Hz, %s at 100 Hz)", jiffies, span(jiffies*1e6), span(jiffies*1e7))
	}
	return "seconds"
}

var countsJiffies = lazily(`(\d{1,15}) jiffies`)

// jiffies returns how long a stall has taken, in ticks of the kernel; 0 if the line does not have it.
func (e Event) jiffies() float64 {
	if found := countsJiffies().FindStringSubmatch(e.Line); found != nil {
		n, _ := number(found[1])
		return n
	}
	return 0
}

// ticksPerSecond returns CONFIG_HZ by the lines on BogoMIPS, or by two lines on one stall; 0 if it is unknown.
func (l log) ticksPerSecond() float64 {
	for _, e := range l.of("bogomips") {
		if e.Cycles > 0 {
			return float64(e.Cycles)
		}
	}
	const near = 0.03
	var last Event
	for _, e := range l.of("stalled", "stalled-for", "stalled-since") {
		at, timed := e.clockedNS()
		before, _ := last.clockedNS()
		hz := (e.jiffies() - last.jiffies()) / (at - before) * 1e9
		for _, usual := range []float64{100, 250, 300, 1000} {
			if timed && last.jiffies() > 0 && math.Abs(hz/usual-1) < near {
				return usual
			}
		}
		last = e
	}
	return 0
}

// holder returns the programs that ran on CPUs that hung, and where the kernel was at first: "It ran mount.nfs, in the kernel's
// function f"; "" if no line names them.
func (l log) holder() string {
	const most, near = 3, 100e6 // programs, and ns from the message to the registers
	stalls := l.of("stalled")
	if len(stalls) == 0 {
		return ""
	}
	first := stalls[0]
	from, timed := first.clockedNS()
	follows := func(e Event) bool {
		at, _ := e.clockedNS()
		return timed && e.Index > first.Index && at-from < near
	}
	of := stalls
	if cpus := l.of("stalled-cpu"); len(cpus) > 0 { // RCU, whose first line names no program
		of = append(of, slices.DeleteFunc(l.of("task"), func(e Event) bool {
			return !follows(e) || !slices.ContainsFunc(cpus, func(c Event) bool { return slices.Equal(c.CPUs, e.CPUs) })
		})...)
	}
	var names []string
	for _, e := range of {
		if e.Name != "" && !e.isIdle() && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := words.Either(len(names) > 1, "They ran ", "It ran ") + words.List(names[:min(len(names), most)])
	for _, e := range l.of("stalled-in") {
		if follows(e) && (first.Name == names[0] || first.Name == "") {
			text += ", in the kernel's function " + e.Name
			if waits().MatchString(e.Name) {
				text += ", which waits for another CPU: look at that one"
			}
			return text
		}
	}
	return text
}

// waits matches the functions in which a CPU waits for another.
var waits = lazily(`^(?:smp_call_function|native_queued_spin_lock|multi_cpu_stop|sync_rcu_exp)`)

// isNear is whether the stamps of two lines differ by less than a number of ns.
func (m Message) isNear(other Message, ns float64) bool {
	at, timed := (Event{Stamp: m.Stamp, AtNS: m.AtNS, Timed: m.Timed}).clockedNS()
	to, both := (Event{Stamp: other.Stamp, AtNS: other.AtNS, Timed: other.Timed}).clockedNS()
	return timed && both && math.Abs(at-to) < ns
}

// clockedNS returns when an event was, in ns since the boot or by its date.
func (e Event) clockedNS() (float64, bool) {
	if e.Timed {
		return float64(e.AtNS), true
	}
	at, ok := dateOf(e.Stamp)
	if !ok {
		if hour, err := time.Parse(time.TimeOnly, strings.TrimSpace(e.Stamp)); err == nil { // chronyd in a terminal
			at, ok = hour, true
		}
	}
	return float64(at.Unix()) * 1e9, ok
}

const (
	// sameStepNS is how far apart the lines of several programs about one step are, in ns.
	sameStepNS = 10e9
	// minSteps in a row, each at most longStepNS after the one before, are a fault: a service steps the clock once at its
	// start, and after a pause.
	minSteps, longStepNS = 3, 3600e9
	// maxSlewPPM is the largest correction without a step: MAXFREQ in include/linux/timex.h.
	maxSlewPPM = 500
)

// A stepping is what the lines on steps of the wall clock say together. A line that Select has folded stands for
// several steps, and several programs may log one.
type stepping struct {
	lines, n, back int // the number of lines, of steps, and of steps that set the clock back
	// elapsedNS is the time from the first to the last, totalNS their sum without the first, which corrects what was
	// before it. known is whether all lines have their step.
	elapsedNS, totalNS float64
	known              bool
}

func (l log) steps() stepping {
	var steps []Event
	var at []float64
	for _, e := range l.of("stepped") {
		ns, _ := e.clockedNS()
		if last := len(steps) - 1; last >= 0 && (math.Abs(ns-at[last]) < sameStepNS || e.repeats(steps[last])) {
			s := &steps[last]
			s.StepNS, s.Back, s.Count = cmp.Or(s.StepNS, e.StepNS), s.Back || e.Back, max(s.Count, e.Count)
			continue
		}
		steps, at = append(steps, e), append(at, ns)
	}
	all := stepping{lines: len(steps), elapsedNS: at[len(at)-1] - at[0], totalNS: -steps[0].StepNS, known: true}
	for _, e := range steps {
		all.n += e.Count
		if e.Back {
			all.back += e.Count
		}
		all.totalNS += e.StepNS * float64(e.Count)
		all.known = all.known && e.StepNS != 0
	}
	return all
}

// repeats returns whether a line without a stamp reports the step of the line above: ntpd prints it, and logs it.
func (e Event) repeats(above Event) bool {
	return e.Stamp == "" && e.StepNS != 0 && e.StepNS == above.StepNS
}

// largestStep returns the largest step of the wall clock, without its sign, in ns; 0 if no line has one.
func (l log) largestStep() (ns float64) {
	for _, e := range l.of("stepped") {
		ns = max(ns, math.Abs(e.StepNS))
	}
	return ns
}

// SteppedBy returns whether the largest step of the wall clock is of a kind: quarter-hours (whole ones, as of a time zone),
// days (below a year), months (three at least) or years.
func SteppedBy(events []Event, kind string) bool {
	const quarter, near, day, year = 900e9, 30e9, 86400e9, 365 * 86400e9 // ns
	most := log{events: events}.largestStep()
	whole := most > 3*quarter && math.Abs(math.Remainder(most, quarter)) < near
	return map[string]bool{
		"quarter-hours": most < day && whole, "days": most >= day && most < year, "months": most >= 90*day,
		"years": most >= year,
	}[kind]
}

// sinceStep returns the lines of a kind after the last step of the wall clock.
func (l log) sinceStep(kind string) []Event { return l.since(kind, "stepped") }

// since returns the lines of a kind after the last line of other kinds.
func (l log) since(kind string, others ...string) []Event {
	last := -1
	for _, e := range l.of(others...) {
		last = e.Index
	}
	return slices.DeleteFunc(l.of(kind), func(e Event) bool { return e.Index < last })
}

// wrongByNS returns by how much a time service found the wall clock wrong the last time since it was stepped, in ns;
// negative: ahead; 0 if it did not.
func (l log) wrongByNS() float64 {
	off := l.sinceStep("time-off")
	if len(off) == 0 {
		return 0
	}
	return off[len(off)-1].StepNS
}

// slewingLost returns the lines of OpenNTPD on a wall clock that was far off, and is not any more, sooner than adjtime can
// have corrected that.
func slewingLost(l log) []Event {
	const far, slow = 60e9, 2000 // ns, and how much longer it takes
	lines := l.sinceStep("slewing")
	for i, e := range lines {
		from, timed := e.clockedNS()
		for _, later := range lines[i+1:] {
			to, also := later.clockedNS()
			less := math.Abs(e.StepNS) - math.Abs(later.StepNS)
			soon := !timed || !also || to-from < less*slow
			if math.Abs(e.StepNS) >= far && later.StepNS != 0 && math.Abs(later.StepNS) < far && soon {
				return lines
			}
		}
	}
	return nil
}

// steppedAgain returns why the wall clock is stepped again and again; "" if it is not.
func (l log) steppedAgain() string {
	s := l.steps()
	every := s.elapsedNS / float64(s.n-1)
	if len(l.of("set-in-turn")) > 0 || s.n < minSteps || s.lines < 2 || every <= 0 || every > longStepNS {
		return ""
	}
	text := fmt.Sprintf("The wall clock was stepped %d times, every %s on average by the stamps of "+
		"the lines", s.n, span(every))
	ppm, way := math.Abs(s.totalNS/s.elapsedNS*1e6), "slow"
	if s.back > 0 {
		way = "fast"
	}
	about := words.Either(s.n > s.lines, "about ", "")
	var setters []string // journald and systemd only notice a step
	for _, e := range l.of("stepped") {
		if e.Name != "" && !slices.Contains(setters, e.Name) {
			setters = append(setters, e.Name)
		}
	}
	switch {
	case len(setters) > 1:
		text += fmt.Sprintf(", by %d programs: %s. Each sets it to its own time.", len(setters), words.List(setters))
	case !s.known:
		text += fmt.Sprintf(". The lines do not say by how much. A guess: the clock source runs at a wrong "+
			"rate, by more than the %d ppm that a time service can correct without steps; or two programs set "+
			"the clock.", maxSlewPPM)
		if s.back == s.n {
			text += " Each time it was set back: the clock source runs too fast, or a program sets it forward."
		}
	case s.back > 0 && s.back < s.n:
		text += ", forwards and backwards. A guess: two programs set the clock, each to another time."
	case ppm > maxSlewPPM:
		text += fmt.Sprintf(", by %s%s in all after the first step. So the clock source runs about %s %s, more "+
			"than the %d ppm that a time service can correct without steps.",
			about, span(s.totalNS), strings.TrimLeft(deviation(ppm), "+"), way, maxSlewPPM)
	default:
		text += fmt.Sprintf(". The rate of the clock source does not explain them: together they are %s ppm. A "+
			"guess: two programs set the clock.", words.ThreeDigits(ppm))
	}
	return text
}

// leaps are the years with a leap second at the end of a month, since Linux exists (IERS Bulletin C). None was deleted.
var leaps = map[string][]int{"06-30": {1992, 1993, 1994, 1997, 2012, 2015}, "12-31": {1995, 1998, 2005, 2008, 2016}}

// leapYears returns the years in which an event could be of a true leap second. Its stamp is in an unknown time zone.
func (e Event) leapYears() (years []int, dated bool) {
	at, dated := dateOf(e.Stamp)
	for _, zone := range []time.Duration{-14 * time.Hour, 0, 12 * time.Hour} {
		utc := at.Add(zone)
		if all := leaps[utc.Format("01-02")]; slices.Contains(all, utc.Year()) {
			return []int{utc.Year()}, dated
		} else if at.Year() == 0 && len(all) > 0 {
			years = all
		}
	}
	return years, dated
}

// whyFalse returns why a leap second cannot have been true; "" if it may have been.
func (l log) whyFalse(e Event) string {
	years, dated := e.leapYears()
	switch {
	case e.Name == "deleting":
		return "no leap second was ever deleted"
	case dated && len(years) == 0:
		return "leap seconds were at the end of June or December only, and not on that day"
	case len(years) != 1 && l.machine.Kernel != "" && !Older(l.machine.Kernel, 4, 10):
		return "the kernel, " + l.machine.Kernel + ", is younger than the last one"
	}
	return ""
}

var falseLeaps = those(func(l log, e Event) bool { return l.whyFalse(e) != "" }, "leap-second")

// trueLeaps returns the lines on leap seconds if none was false.
func trueLeaps(l log) []Event { return words.Either(len(falseLeaps(l)) == 0, l.of("leap-second"), nil) }

// flagContradicts is whether the kernel's flag alone says that the wall clock is not synchronised, and another line says that
// it is.
func (l log) flagContradicts() bool {
	ofService := func(e Event) bool {
		line := strings.ToLower(e.Line)
		return !strings.HasPrefix(line, "return value") && !strings.Contains(line, "synchronized: ")
	}
	off := l.of("status-unsynchronized")
	return len(off) > 0 && !slices.ContainsFunc(off, ofService) && len(l.of("status-synchronized")) > 0
}

// RTCAheadSeconds returns by how much the real-time clock is ahead of the wall clock in the last pair of lines that show
// both, in s; negative if it is behind, 0 without such lines.
func RTCAheadSeconds(events []Event) float64 { return log{events: events}.lastShown().off() }

// A shown is what a command printed of the wall clock and the real-time clock.
type shown struct {
	wall, rtc Event
}

// shown returns the times that commands printed, in order. A command prints the wall clock first; date and hwclock, which
// print one each, may be in any order. A time of the real-time clock alone is one without the wall clock.
func (l log) shown() (all []shown) {
	var wall, rtc Event
	for _, e := range l.of("time-shown", "rtc-shown") {
		switch {
		case e.Kind == "time-shown" && rtc.Kind != "" && e.printedBy() == "date" && rtc.pairs(e) && !e.isLater():
			all[len(all)-1].wall, wall, rtc = e, Event{}, Event{}
		case e.Kind == "time-shown":
			wall, rtc = e, Event{}
		case e.pairs(wall) && !e.isLater():
			all = append(all, shown{wall, e})
			rtc = Event{}
		default:
			all, rtc = append(all, shown{rtc: e}), e
		}
	}
	return all
}

// isLater returns whether other lines stood between the output of a command and the time above it.
func (e Event) isLater() bool { return strings.Contains(e.Line, later) }

// printedBy returns the first word of a line that shows a time: universal, system, date.
func (e Event) printedBy() string {
	word, _, _ := strings.Cut(strings.ToLower(e.Line), " ")
	return strings.TrimSuffix(word, ":")
}

var zoneInTime = lazily(` [A-Z]{3,5}\b|[-+]\d\d(?::\d\d)?$`)

// pairs returns whether a time of the real-time clock was printed beside a time of the wall clock, in the same zone.
func (e Event) pairs(wall Event) bool {
	of := map[string]string{"rtc": "universal", "time": "system", "hwclock": "date"}[e.printedBy()]
	return wall.Kind != "" && of == wall.printedBy() &&
		(of != "date" || !zoneInTime().MatchString(e.Name) || e.inUTC() == wall.inUTC())
}

// inUTC returns whether a shown time names UTC as its zone.
func (e Event) inUTC() bool {
	return strings.Contains(e.Name, "UTC") || strings.Contains(e.Name, "GMT") || strings.HasSuffix(e.Name, "+00:00")
}

// off returns by how much the real-time clock is ahead, in s; 0 if that is unknown. hwclock of BusyBox names no zone, and
// prints UTC or the local time.
func (s shown) off() float64 {
	at, known := s.rtc.shownTime()
	now, also := s.wall.shownTime()
	inAnyZone := s.wall.printedBy() == "date" && !s.wall.inUTC() && !zoneInTime().MatchString(s.rtc.Name) && isZone(at-now)
	return words.Either(known && also && !inAnyZone, at-now, 0)
}

func (s shown) rtcOff() string {
	off := s.off()
	return span(off*1e9) + words.Either(off < 0, " behind", " ahead of")
}

func (s shown) lines() []Event { return []Event{s.rtc, s.wall} }

// lastShown returns the last times, unless the real-time clock was set after that.
func (l log) lastShown() shown {
	all := l.shown()
	if len(all) == 0 || len(l.since("rtc-written", "rtc-shown")) > 0 {
		return shown{}
	}
	return all[len(all)-1]
}

// beforeWritten returns the last times before the real-time clock was set.
func (l log) beforeWritten() (last shown) {
	written := l.of("rtc-written")
	for _, s := range l.shown() {
		if len(written) > 0 && s.rtc.Index < written[0].Index {
			last = s
		}
	}
	return last
}

// minRTCOff is a difference between the real-time clock and the wall clock that is a fault, in s.
const minRTCOff = 60

// isFar returns whether the times differ. Somebody who types date and hwclock may need minutes from one to the other.
func (s shown) isFar() bool {
	return math.Abs(s.off()) >= words.Either(s.wall.printedBy() == "date", 10.0, 1)*minRTCOff
}

// shownJumps returns the jumps of the wall clock from one output of timedatectl or date to the next, in s, negative if
// back, and their lines. The real-time clock does not jump with it: the outputs are of one machine, in their order.
func (l log) shownJumps() (jumps []float64, lines []Event) {
	if len(l.of("another-machine")) > 0 {
		return nil, nil
	}
	above := map[string]shown{}
	for _, s := range l.shown() {
		series := s.wall.printedBy() + zoneInTime().FindString(s.wall.Name)
		before := above[series]
		above[series] = s
		from, timed := before.wall.shownTime()
		to, also := s.wall.shownTime()
		moved := before.off() - s.off()
		if timed && also && s.wall.printedBy() != "system" && math.Abs(moved) >= minRTCOff && (to < from || moved > 0) {
			jumps = append(jumps, words.Either(to < from, to-from, moved))
			lines = append(lines, before.wall, s.wall)
		}
	}
	return jumps, lines
}

// backAndForth returns the lines of jumps of the wall clock, if one is back, and there are several.
func backAndForth(l log) []Event {
	jumps, lines := l.shownJumps()
	return words.Either(len(jumps) > 1 && slices.ContainsFunc(jumps, func(s float64) bool { return s < 0 }), lines, nil)
}

// rtcHasLocalTime is whether the real-time clock has the local time, as Windows sets it: it differs from the wall clock by
// the offset of a time zone.
func (l log) rtcHasLocalTime() bool {
	off := l.lastShown().off()
	return isZone(off) || len(l.of("rtc-local")) > 0 && math.Abs(off) > minZone && math.Abs(off) < maxZone
}

// minZone and maxZone bound the difference of a zone to UTC, in s.
const minZone, maxZone = 900, 14.5 * 3600

// isZone returns whether a difference of two times, in s, is as of a zone to UTC.
func isZone(off float64) bool {
	const near, half = 120, 1800               // s
	quarters := []float64{20700, 31500, 45900} // of Nepal, Eucla, the Chatham Islands
	size := math.Abs(off)
	return size > minZone && size < maxZone && (math.Abs(math.Remainder(size, half)) < near ||
		slices.ContainsFunc(quarters, func(quarter float64) bool { return math.Abs(size-quarter) < near }))
}

// besideTime matches what date and hwclock print beside a time.
var besideTime = lazily(` [A-Z]{3,5}\b| [-+]\d\d\b| +-?[.\d]+ seconds$`)

// shownTime returns the time that a line shows, in s since 1970.
func (e Event) shownTime() (float64, bool) {
	if seconds, err := strconv.ParseInt(e.Name, 10, 64); err == nil {
		return float64(seconds), true
	}
	text := strings.Join(strings.Fields(besideTime().ReplaceAllString(e.Name, "")), " ")
	for _, layout := range []string{
		"Mon Jan 2 15:04:05 2006", "Mon Jan 2 03:04:05 PM 2006", "Mon 2 Jan 15:04:05 2006", "Mon 2 Jan 2006 03:04:05 PM",
	} {
		if at, err := time.Parse(layout, text); err == nil { // of date, hwclock
			return float64(at.Unix()), true
		}
	}
	at, ok := dateOf(strings.ReplaceAll(text, "/", "-"))
	return float64(at.Unix()), ok
}
