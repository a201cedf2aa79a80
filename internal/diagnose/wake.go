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
	// heldUpNS is the length of a timer interrupt from which a user notices it: it delays sleeps like a
	// large slack.
	heldUpNS = wake.LargeSlackNS
	// longTickNS is the rounding of Sleep that a tick explains: more than its own, to 1 ms, and a shortened tick.
	longTickNS = 2.5e6
	// pausedNS is the lateness of a sleep during which the CPU was taken away: more than any layer.
	pausedNS = 5e6
)

// lates returns how late a sleep ended: "clock_nanosleep@syscall · a sleep of 1 ms ended 77 µs late".
func lates(w wake.Row, lateNS float64) string {
	span := words.Duration(float64(w.SpanNS))
	return fmt.Sprintf("%s · a sleep of %s ended %s late", w.ID, span, words.SignedDuration(lateNS))
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
	ticks, _ := tickOfWindows(s)
	early := wake.EarlyFaults(slices.DeleteFunc(slices.Clone(wakeOf(s).Ways), func(w wake.SleepWay) bool {
		return ticks > 0 && strings.HasSuffix(w.ID, "@winapi") && w.ID != wake.HighResolutionID
	}))
	return foundBy(s, early, "early-wake-ups")
}

// tickOfWindows returns by how much the tick of the system timer of Windows delays sleeps, in ns, against a timer of
// high resolution, with evidence; 0 if it does not.
func tickOfWindows(s *situation.Situation) (ns float64, evidence string) {
	ns, evidence = largest(s, wake.Rounding, "with CREATE_WAITABLE_TIMER_HIGH_RESOLUTION")
	if !s.OnWindows() || ns < longTickNS {
		return 0, ""
	}
	return ns, evidence
}

// sleepsByTicks finds that Windows ends sleeps with a tick of its system timer.
func sleepsByTicks(s *situation.Situation) *result.Finding {
	less, evidence := tickOfWindows(s)
	if less == 0 {
		return nil
	}
	return foundBy(s, []string{evidence}, "sleeps-by-ticks", "{less}", words.Duration(less))
}

// coarseTimers finds a kernel that ends every sleep with a tick. Two facts must agree: the resolution of timers is a
// tick, and even the most exact way is late by a part of it.
func coarseTimers(s *situation.Situation) *result.Finding {
	timers := wakeOf(s).Timers
	if !timers.Ticks() {
		return nil
	}
	tickNS := float64(timers.ResolutionNS)
	tick := words.Duration(tickNS)
	evidence := []string{"clock_getres(CLOCK_MONOTONIC): " + tick}
	if all := sleeps(s); len(all) > 0 {
		w := slices.MinFunc(all, func(a, b wake.Row) int { return cmp.Compare(a.MedianLateNS, b.MedianLateNS) })
		if w.MedianLateNS < tickNS/10 {
			return nil
		}
		evidence = append(evidence, lates(w, w.MedianLateNS)+" (median)")
	}
	parameter := ""
	if off := remedy.HighResolutionOff(s); len(off) > 0 {
		parameter = off[0].Text
	}
	return foundBy(s, evidence, "coarse-timers", "{tick}", tick, "{parameter}", parameter)
}

// largeSlack finds a timer slack that somebody set, for doctor or for other programs. The default is no finding.
func largeSlack(s *situation.Situation) *result.Finding {
	var of []string
	timers := wakeOf(s).Timers
	for _, p := range timers.LargeSlacks {
		of = append(of, fmt.Sprintf("%s (process %d) · timer slack %s", p.Program, p.PID, words.Duration(float64(p.SlackNS))))
	}
	switch others := timers.LargeSlacks; {
	case timers.SlackNS >= wake.LargeSlackNS:
		slack := words.Duration(float64(timers.SlackNS))
		_, evidence := largest(s, wake.TimerSlack, "with a slack of 1 ns")
		own := words.Present(fmt.Sprintf("prctl(PR_GET_TIMERSLACK): %s, %s times the default of %s", slack,
			words.Times(float64(timers.SlackNS)/defaultSlackNS), words.Duration(defaultSlackNS)), evidence)
		return foundBy(s, append(own, of...), "timer-slack", "{slack}", slack)
	case len(others) > 0:
		return foundBy(s, of, "timer-slack of-others", "{programs}", words.Plural(len(others), "program"),
			"{slack}", words.Duration(float64(others[0].SlackNS)))
	}
	return nil
}

// heldUp finds timer interrupts that took long, by the kernel log. Only a document with sleeps is about timers.
func heldUp(s *situation.Situation) *result.Finding {
	cause := situation.First(s.Causes(), func(c kernellog.Cause) bool { return c.Kind == "slow-interrupt" })
	if cause == nil || len(sleeps(s)) == 0 {
		return nil
	}
	slow := slices.DeleteFunc(slices.Clone(cause.Evidence), func(e kernellog.Event) bool { return e.DelayNS < heldUpNS })
	if len(slow) == 0 {
		return nil
	}
	longest := slices.MaxFunc(slow, func(a, b kernellog.Event) int { return cmp.Compare(a.DelayNS, b.DelayNS) })
	return foundBy(s, logEvidence(s, slow), "slow-interrupt", "{longest}", words.Duration(longest.DelayNS), "{why}", cause.Text)
}

// slowIdleExit finds CPUs that take long to leave idle.
func slowIdleExit(s *situation.Situation) *result.Finding {
	exit, evidence := largest(s, wake.LeavingIdle, "while a thread of SCHED_IDLE keeps the CPU awake")
	if exit < slowIdleNS {
		return nil
	}
	timers, deepest := wakeOf(s).Timers, oftenEntered(wakeOf(s).Timers.IdleStates)
	name, broadcast := "slow-idle-exit", timers.Fact("Broadcast device")
	if !s.IsGuest() && exit <= 2*float64(deepest.LatencyNS)+slowIdleNS/2 { // the caches are cold, too
		name += " of-a-state"
	}
	if broadcast != "" {
		broadcast = ", or its timer stops in idle and the broadcast device (" + broadcast + ") wakes it"
	}
	all := []string{evidence}
	if deepest.Name != "" {
		all = append(all, fmt.Sprintf("idle state %s · entered %s× during the run · exit latency %s (%s)", deepest.Name,
			words.Thousands(deepest.Entered), words.Duration(float64(deepest.LatencyNS)), timers.Fact("Idle driver")))
	}
	return foundBy(s, all, name, "{exit}", words.Duration(exit), "{state}", deepest.Name, "{broadcast}", broadcast)
}

// oftenEntered returns the deepest idle state, which is the last, with at least a tenth of all entries: other CPUs,
// which slept longer, may have entered a deeper one.
func oftenEntered(states []wake.IdleState) (deepest wake.IdleState) {
	const minShare = 0.1
	var all int64
	for _, state := range states {
		all += state.Entered
	}
	for _, state := range states {
		if state.Entered > 0 && float64(state.Entered) >= minShare*float64(all) {
			deepest = state
		}
	}
	return deepest
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
