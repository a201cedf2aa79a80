package runtimes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The kinds of values that a call returns, as those of clocks.
const (
	wall      = "wall"
	monotonic = "monotonic"
	cpuTime   = "cpu time"
)

// choices returns a line for each runtime: its fastest wall clock and its fastest monotonic clock.
func (s *Runtimes) choices() []table.Fact {
	var lines []table.Fact
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		if !r.Available {
			continue
		}
		var parts []string
		for _, kind := range []struct{ of, name string }{{wall, "wall clock"}, {monotonic, "monotonic"}} {
			if text := r.fastest(kind.of); text != "" {
				parts = append(parts, kind.name+": "+text)
			}
		}
		if len(parts) > 0 {
			lines = append(lines, table.Fact{Name: r.Name, Value: strings.Join(parts, "; ")})
		}
	}
	return lines
}

// fastest returns the fastest call of a kind with its cost, and the ratios of the others to it. Coarse
// calls come last, with their resolution.
func (r *MeasuredRuntime) fastest(kind string) string {
	calls := slices.DeleteFunc(r.byLatency(), func(m MeasuredCall) bool { return m.Kind != kind || m.Latency.MedianNS == 0 })
	if !slices.ContainsFunc(calls, func(m MeasuredCall) bool { return m.coarse() < 2 }) {
		return ""
	}
	slices.SortStableFunc(calls, func(a, b MeasuredCall) int { return cmp.Compare(a.coarse(), b.coarse()) })
	var others []string
	for _, m := range calls[1:] {
		ratio := m.Latency.MedianNS / calls[0].Latency.MedianNS
		if math.Abs(math.Log(ratio)) < math.Log1p(section.Usual.MinChange) {
			others = append(others, m.described()+" the same")
			continue
		}
		others = append(others, fmt.Sprintf("%s %s×", m.described(), words.Times(ratio)))
	}
	text := fmt.Sprintf("%s %s ns", calls[0].described(), words.NS(calls[0].Latency.MedianNS))
	if len(others) > 0 {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	return text
}

// coarse returns 1 for a call whose values step by more than a millisecond, which is the resolution of
// the wall clock of Java and JavaScript, 2 for one whose resolution is unknown, and 0 for others.
func (m *MeasuredCall) coarse() int {
	switch r := m.Resolution; {
	case r == nil || !r.FinerThanRead && r.TickNS == 0:
		return 2
	case !r.FinerThanRead && r.TickNS > 1e6:
		return 1
	default:
		return 0
	}
}

// shownNS is the resolution from which it stands beside the call.
const shownNS = 10_000

// described returns the call, with its resolution if that is coarse or unknown.
func (m *MeasuredCall) described() string {
	switch r := m.Resolution; {
	case m.coarse() == 2:
		return m.Call + " [resolution unknown]"
	case !r.FinerThanRead && r.TickNS >= shownNS:
		return fmt.Sprintf("%s [%s]", m.Call, words.Duration(r.TickNS))
	default:
		return m.Call
	}
}

// notes returns what a user of the runtime should know.
func (r *MeasuredRuntime) notes() []string {
	var notes []string
	for _, note := range []func(*MeasuredRuntime) string{timedByCPU, goingBack, entering, readingTwice, coarseAndSlow} {
		if text := note(r); text != "" {
			notes = append(notes, text)
		}
	}
	return notes
}

// entering names the wall and monotonic calls that enter the kernel while others of the runtime do
// not.
func entering(r *MeasuredRuntime) string {
	var enter []string
	free := false
	for _, m := range r.Calls {
		switch {
		case m.Kind == cpuTime:
			// The vDSO never has CPU times.
		case m.KernelEntry == result.Always:
			enter = append(enter, m.Call)
		case m.KernelEntry == result.Never:
			free = true
		}
	}
	if len(enter) == 0 || !free {
		return ""
	}
	return fmt.Sprintf("%s: these calls enter the kernel to read a clock, others do not: %s.", r.Name, strings.Join(enter, ", "))
}

// readingTwice names the calls that read several clocks.
func readingTwice(r *MeasuredRuntime) string {
	var several []string
	for _, m := range r.Calls {
		if len(m.Reads) > 1 && m.AttributedCalls == m.TracedCalls {
			several = append(several, fmt.Sprintf("%s reads %s", m.Call, repeated(m.Reads)))
		}
	}
	if len(several) == 0 {
		return ""
	}
	return r.Name + ": " + words.List(several) + "."
}

// coarseAndSlow names the calls that return whole seconds and cost as much as a fine one.
func coarseAndSlow(r *MeasuredRuntime) string {
	const asMuch = 0.8
	calls := slices.DeleteFunc(r.byLatency(), func(m MeasuredCall) bool { return m.Kind != wall })
	fine := slices.IndexFunc(calls, func(m MeasuredCall) bool { return m.coarse() == 0 })
	if fine < 0 {
		return ""
	}
	var slow []string
	for _, m := range calls {
		if m.coarse() == 1 && m.Resolution.TickNS >= 1e9 && m.Latency.MedianNS >= asMuch*calls[fine].Latency.MedianNS {
			slow = append(slow, m.Call)
		}
	}
	if len(slow) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s returns whole seconds, but costs as much as %s.", r.Name, words.List(slow), calls[fine].Call)
}

// goingBack names the calls whose values went back.
func goingBack(r *MeasuredRuntime) string {
	var back []string
	for _, m := range r.Calls {
		if m.Resolution != nil && m.Resolution.Backwards > 0 {
			back = append(back, fmt.Sprintf("%s (%s, at most by %s)", m.Call, words.Plural(int(m.Resolution.Backwards), "time"), words.Duration(m.Resolution.WorstBackwardsNS)))
		}
	}
	if len(back) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: values went back: %s.", r.Name, strings.Join(back, ", "))
}

// timedByCPU says that the figures of a runtime are CPU time.
func timedByCPU(r *MeasuredRuntime) string {
	if r.TimedBy == "" {
		return ""
	}
	return fmt.Sprintf("%s: its figures are %s, because it has no monotonic clock.", r.Name, r.TimedBy)
}
