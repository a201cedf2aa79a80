package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/words"
)

const (
	// defaultSlackNS is the timer slack by default (init/init_task.c).
	defaultSlackNS = 50_000
	// slowIdleNS is the time to leave idle from which a user notices it: more than C1E takes (10 µs), less than C6 of a
	// server (133 µs; skx_cstates in drivers/idle/intel_idle.c).
	slowIdleNS = 100_000
	// heldUpNS is the length of a timer interrupt from which a user notices it, as above.
	heldUpNS = wake.LargeSlackNS
	// longTickNS is the rounding of Sleep that a tick explains: more than its own, to 1 ms, and a shortened tick.
	longTickNS = 2.5e6
	// pausedNS is the lateness of a sleep during which the CPU was taken away: more than any layer.
	pausedNS = 5e6
)

// lates returns how late a sleep ended: "clock_nanosleep@syscall · a sleep of 1 ms ended 77 µs late".
func lates(w wake.Row, lateNS float64) string {
	return fmt.Sprintf("%s · a sleep of %s ended %s late", w.ID, words.Duration(float64(w.SpanNS)), words.SignedDuration(lateNS))
}

// wakeOf returns the section, or an empty one.
func wakeOf(s *situation.Situation) *wake.Wake { return cmp.Or(wake.Of(s.Document), &wake.Wake{}) }

// sleeps returns all spans of all ways that slept.
func sleeps(s *situation.Situation) []wake.Row { return wake.Rows(wakeOf(s).Ways) }

// largest returns the largest layer of a name, in ns, with evidence; 0 if it is unknown.
func largest(s *situation.Situation, name, without string) (ns float64, evidence string) {
	for _, w := range sleeps(s) {
		for _, l := range w.Layers {
			if l.Name == name && l.NS > ns {
				ns = l.NS
				evidence = lates(w, w.MedianLateNS) + ", " + words.Duration(ns) + " less " + without + " (medians)"
			}
		}
	}
	return ns, evidence
}

// earlyWakeUps finds ways to sleep that end before their deadline. Of ticks of Windows another finding says so.
func earlyWakeUps(s *situation.Situation) *result.Finding {
	finding := &result.Finding{
		Title:    "sleeps end before their deadline",
		Cause:    "A program that trusts its sleep acts too early: it finds that nothing is due, sleeps again or spins. POSIX forbids an early end (clock_nanosleep, poll); Windows ends a sleep with a tick of its timer, which may be up to a tick early. A library in the program, an emulator or a sandbox may stand in for the call.",
		Severity: words.Either(s.OnWindows(), result.Note, ""),
		Remedies: remedy.For(s, "sleep-until", "read-real-clock"),
		Links:    linuxLinks(s, "https://man7.org/linux/man-pages/man2/clock_nanosleep.2.html"),
	}
	ticks := sleepsByTicks(s) != nil
	for _, w := range sleeps(s) {
		explained := ticks && strings.HasSuffix(w.ID, "@winapi") && w.ID != wake.HighResolutionID
		if w.Early > 0 && !explained {
			finding.Evidence = append(finding.Evidence, fmt.Sprintf("%s · %d of %s of %s ended early, by %s at most", w.ID, w.Early,
				words.Plural(w.Samples, "sleep"), words.Duration(float64(w.SpanNS)), words.Duration(-w.MinLateNS)))
		}
	}
	return finding
}

// sleepsByTicks finds that Windows ends sleeps with a tick of its system timer, against a timer of high resolution.
func sleepsByTicks(s *situation.Situation) *result.Finding {
	less, evidence := largest(s, wake.Rounding, "with CREATE_WAITABLE_TIMER_HIGH_RESOLUTION")
	if !s.OnWindows() || less < longTickNS {
		return nil
	}
	return &result.Finding{
		Title:    "Sleep ends with a tick of the system timer, " + words.Duration(less) + " later than a timer of high resolution",
		Evidence: []string{evidence},
		Cause:    "The system timer of Windows ticks every 15.6 ms (64 times a second) unless a program asks for more. Sleep and most timers end with a tick: up to that late, or a little early.",
		Remedies: remedy.For(s, "high-resolution-timer", "time-begin-period"),
		Links:    []string{"https://learn.microsoft.com/en-us/windows/win32/api/synchapi/nf-synchapi-sleep"},
	}
}

// coarseTimers finds a kernel that ends every sleep with a tick. Two facts must agree: the resolution of timers is a
// tick, and even the most exact way is late by a part of it.
func coarseTimers(s *situation.Situation) *result.Finding {
	timers := wakeOf(s).Timers
	tick := float64(timers.ResolutionNS)
	if !timers.Ticks() {
		return nil
	}
	finding := &result.Finding{
		Title:    "no high-resolution timers: every sleep ends with a tick of " + words.Duration(tick),
		Evidence: []string{"clock_getres(CLOCK_MONOTONIC): " + words.Duration(tick)},
		Cause:    "The kernel ends a sleep with the first tick after its deadline, up to " + words.Duration(tick) + " late.",
		Remedies: remedy.For(s, "remove-highres-off", "highres-config"),
		Links:    []string{"https://docs.kernel.org/timers/highres.html", kernelParameters},
	}
	if all := sleeps(s); len(all) > 0 {
		w := slices.MinFunc(all, func(a, b wake.Row) int { return cmp.Compare(a.MedianLateNS, b.MedianLateNS) })
		if w.MedianLateNS < tick/10 {
			return nil
		}
		finding.Evidence = append(finding.Evidence, lates(w, w.MedianLateNS)+" (median)")
	}
	switch off := remedy.HighResolutionOff(s); {
	case len(off) > 0:
		finding.Cause += " The boot parameter " + off[0].Text + " turns high-resolution timers off."
	case slices.Contains(situation.TickSources, s.ClockSource):
		finding.Cause += " The clock source " + s.ClockSource + " counts ticks, so the kernel cannot use high-resolution timers."
	default:
		finding.Cause += " No boot parameter turns them off: this kernel may lack CONFIG_HIGH_RES_TIMERS, or have no timer device that fires once. This is a guess."
	}
	return finding
}

// largeSlack finds a timer slack that somebody set, for doctor or for other programs. The default is no finding.
func largeSlack(s *situation.Situation) *result.Finding {
	timers := wakeOf(s).Timers
	finding := &result.Finding{
		Cause:    "The kernel delays the sleeps of a thread by up to its slack, to join wake-ups. Somebody set it: the program itself, which may want that, or the service or shell that started it.",
		Remedies: remedy.For(s, "slack-of-service", "slack-of-thread"),
		Links:    []string{"https://man7.org/linux/man-pages/man2/prctl.2.html"},
	}
	if slack := float64(timers.SlackNS); slack >= wake.LargeSlackNS {
		_, evidence := largest(s, wake.TimerSlack, "with a slack of 1 ns")
		finding.Title = "sleeps end late: a timer slack of " + words.Duration(slack)
		finding.Evidence = words.Present(fmt.Sprintf("prctl(PR_GET_TIMERSLACK): %s, %s times the default of %s", words.Duration(slack),
			words.Times(slack/defaultSlackNS), words.Duration(defaultSlackNS)), evidence)
	} else if others := timers.LargeSlacks; len(others) > 0 {
		finding.Severity = result.Note
		finding.Title = fmt.Sprintf("a large timer slack delays the sleeps of %s by up to %s", words.Plural(len(others), "program"),
			words.Duration(float64(others[0].SlackNS)))
	}
	for _, p := range timers.LargeSlacks {
		finding.Evidence = append(finding.Evidence,
			fmt.Sprintf("%s (process %d) · timer slack %s", p.Program, p.PID, words.Duration(float64(p.SlackNS))))
	}
	return finding
}

// heldUp finds timer interrupts that took long, by the kernel log. Only a document with sleeps is about timers.
func heldUp(s *situation.Situation) *result.Finding {
	if len(sleeps(s)) == 0 {
		return nil
	}
	for _, c := range s.Causes() {
		slow := slices.DeleteFunc(slices.Clone(c.Evidence), func(e kernellog.Event) bool { return e.DelayNS < heldUpNS })
		if c.Kind == "slow-interrupt" && len(slow) > 0 {
			return &result.Finding{
				Title:    "a timer interrupt took " + words.Duration(heldUpNS) + " or more since boot: sleeps on its CPU ended late then",
				Evidence: logEvidence(s, slow),
				Cause:    c.Text,
				Links:    []string{kernelMessages},
			}
		}
	}
	return nil
}

// slowIdleExit finds CPUs that take long to leave idle.
func slowIdleExit(s *situation.Situation) *result.Finding {
	exit, evidence := largest(s, wake.LeavingIdle, "while a thread of SCHED_IDLE keeps the CPU awake")
	if exit < slowIdleNS {
		return nil
	}
	finding := &result.Finding{
		Title:    "an idle CPU takes " + words.Duration(exit) + " to wake up",
		Evidence: []string{evidence},
		Links:    []string{"https://docs.kernel.org/admin-guide/pm/cpuidle.html"},
		Remedies: remedy.For(s, "hold-latency", "shallow-idle", "guest-halt-poll"),
	}
	timers, deepest := wakeOf(s).Timers, wake.IdleState{}
	for _, state := range timers.IdleStates { // the deepest is the last
		if state.Entered > 0 {
			deepest = state
		}
	}
	if deepest.Name != "" {
		finding.Evidence = append(finding.Evidence, fmt.Sprintf("idle state %s · entered %s× during the run · exit latency %s (%s)",
			deepest.Name, words.Thousands(deepest.Entered), words.Duration(float64(deepest.LatencyNS)), timers.Fact("Idle driver")))
	}
	switch {
	case s.IsGuest():
		finding.Cause = "An idle virtual CPU halts, and the hypervisor takes this time to run it again. That the time is the hypervisor's is a guess."
	case exit <= 2*float64(deepest.LatencyNS)+slowIdleNS/2: // the caches are cold, too
		finding.Cause = "The CPU leaves the idle state " + deepest.Name + " slowly. A sleep, an interrupt or a packet that wakes an idle CPU is that late. The state saves power, and gives other cores more turbo."
	default:
		finding.Cause = "No idle state that was entered explains it. The CPU may use deeper states than the kernel knows"
		if device := timers.Fact("Broadcast device"); device != "" {
			finding.Cause += ", or its timer stops in idle and the broadcast device (" + device + ") wakes it"
		}
		finding.Cause += ". This is a guess."
	}
	return finding
}

// paused returns evidence on the latest sleep, if the CPU was taken away meanwhile.
func paused(s *situation.Situation) (evidence []string) {
	most := pausedNS
	for _, w := range sleeps(s) {
		if w.MaxLateNS > most {
			most, evidence = w.MaxLateNS, []string{lates(w, w.MaxLateNS) + " (max)"}
		}
	}
	return evidence
}
