package runtimes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The kinds of values that a call returns, named as the kinds of clocks.
const (
	wall      = "wall"
	monotonic = "monotonic"
	cpuTime   = "cpu time"
)

// choices returns a line for each runtime: its fastest wall clock, its fastest monotonic clock, and the ratios of
// others to them.
func (s *Runtimes) choices() []table.Fact {
	var lines []table.Fact
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		if !r.Available {
			continue
		}
		var parts, others []string
		for _, kind := range []struct{ of, name string }{{wall, "wall clock"}, {monotonic, "monotonic"}} {
			if text, rest := r.fastest(kind.of); text != "" {
				parts, others = append(parts, kind.name+": "+text), append(others, rest...)
			}
		}
		if len(others) > 0 {
			parts = append(parts, "others: "+strings.Join(others, ", "))
		}
		if len(parts) > 0 {
			lines = append(lines, table.Fact{Name: r.Name, Value: strings.Join(parts, "; ")})
		}
	}
	return lines
}

// fastest returns the fastest call of a kind with its cost, and the ratios of the others to it. Coarse
// calls come last, with their resolution.
func (r *MeasuredRuntime) fastest(kind string) (text string, others []string) {
	calls := slices.DeleteFunc(r.byLatency(), func(m MeasuredCall) bool {
		return m.Kind != kind || m.Latency.MedianNS == 0
	})
	if !slices.ContainsFunc(calls, func(m MeasuredCall) bool { return m.coarse() < 2 }) {
		return "", nil
	}
	slices.SortStableFunc(calls, func(a, b MeasuredCall) int { return cmp.Compare(a.coarse(), b.coarse()) })
	for _, m := range calls[1:] {
		ratio := m.Latency.MedianNS / calls[0].Latency.MedianNS
		switch {
		case math.Abs(math.Log(ratio)) < math.Log1p(section.Usual.MinChange):
			others = append(others, m.described()+" the same")
		case ratio < 1:
			others = append(others, fmt.Sprintf("%s %s× faster", m.described(), words.Times(1/ratio)))
		default:
			others = append(others, fmt.Sprintf("%s %s× slower", m.described(), words.Times(ratio)))
		}
	}
	return fmt.Sprintf("%s %s ns", calls[0].described(), words.NS(calls[0].Latency.MedianNS)), others
}

// coarse returns 1 for a call whose values step by more than a millisecond, the resolution of the wall clock of Java
// and JavaScript; 2 for a call of unknown resolution; and 0 for others.
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

// shownNS is the min resolution that is shown beside the call.
const shownNS = 10_000

// described returns the call, with its resolution if it is coarse or unknown.
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

// notes returns caveats of the runtime for its users, beside its table.
func (r *MeasuredRuntime) notes() (notes []string) {
	if r.TimedBy != "" {
		notes = append(notes, fmt.Sprintf("%s: its figures are %s, because it has no monotonic clock.", r.Name,
			r.TimedBy))
	}
	var back []string
	for _, m := range r.Calls {
		if m.Resolution != nil && m.Resolution.Backwards > 0 {
			times := words.Plural(int(m.Resolution.Backwards), "time")
			worst := words.Duration(m.Resolution.WorstBackwardsNS)
			back = append(back, fmt.Sprintf("%s (%s, at most by %s)", m.Call, times, worst))
		}
	}
	if len(back) > 0 {
		notes = append(notes, fmt.Sprintf("%s: values went back: %s.", r.Name, strings.Join(back, ", ")))
	}
	return notes
}
