package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/words"
)

// The kinds of a Reason.
const (
	OddClockSource = "clocksource"  // another clock source than most
	OddKernelEntry = "kernel-entry" // reads enter the kernel, and on most machines they do not
	OddCost        = "cost"         // reads cost more or less than on most
	OddFinding     = "finding"      // doctor found what most machines do not have
)

// A Reason is why a machine is odd in its group.
type Reason struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

const (
	// enough is the min number of machines for meaningful quartiles.
	enough = 5
	// few is the largest share of a group that can be odd. If more machines differ, the group is mixed.
	few = 0.2
	// fence is how many interquartile ranges beyond the quartiles the outer fence lies: Tukey, Exploratory
	// Data Analysis (1977), chapter 2.
	fence = 3
	// leastRatio is the smallest ratio of an odd cost to the median. The costs of similar machines have nearly no
	// spread, and a busy neighbour adds up to a fifth.
	leastRatio = 1.25
	// mostClocks is how many clocks a reason names.
	mostClocks = 3
)

func (g *Group) judge() {
	g.ClockSources = counted(g.Machines, func(m *Machine) string { return m.ClockSource })
	g.Clocks = spreads(g.Machines)
	g.TooFew = len(g.Machines) < enough
	if g.TooFew {
		return
	}
	g.judgeClockSources()
	g.judgeKernelEntries()
	g.judgeCosts()
	g.judgeFindings()
}

func (g *Group) isFew(machines int) bool { return float64(machines) <= few*float64(len(g.Machines)) }

func (m *Machine) because(kind, format string, args ...any) {
	m.Reasons = append(m.Reasons, Reason{kind, fmt.Sprintf(format, args...)})
}

func (g *Group) judgeClockSources() {
	if len(g.ClockSources) == 0 || g.isFew(g.ClockSources[0].Machines) {
		return // no clock source is usual
	}
	for _, c := range g.ClockSources {
		if !g.isFew(c.Machines) {
			continue
		}
		usual := g.ClockSources[0]
		for i := range g.Machines {
			if m := &g.Machines[i]; m.ClockSource == c.Name {
				m.because(OddClockSource, "The clock source is %s; %s of %s have %s", c.Name,
					words.Count(float64(usual.Machines)), words.Count(float64(len(g.Machines))), usual.Name)
			}
		}
	}
}

func (g *Group) judgeKernelEntries() {
	type read struct{ clock, entry string }
	known, alike := map[string]int{}, map[read]int{} // machines
	for i := range g.Machines {
		for _, c := range g.Machines[i].Clocks {
			if c.entryKnown() {
				known[c.Clock]++
				alike[read{c.Clock, c.KernelEntry}]++
			}
		}
	}
	for i := range g.Machines {
		m := &g.Machines[i]
		for _, c := range m.Clocks {
			machines, of := alike[read{c.Clock, c.KernelEntry}], known[c.Clock]
			if c.entryKnown() && c.KernelEntry != result.Never && of >= enough && float64(machines) <= few*float64(of) {
				m.because(OddKernelEntry, "Reads of %s %s enter the kernel, as on %s of %s", c.Clock, c.KernelEntry,
					words.Count(float64(machines)), words.Plural(of, "machine"))
				break // one clock is reason enough
			}
		}
	}
}

func (c *Cost) entryKnown() bool { return c.KernelEntry != "" && c.KernelEntry != result.Unknown }

// judgeCosts compares the quiet costs of each clock among the machines with the same clock source, or among all
// machines if these are few. If they are neither few nor enough for quartiles, no cost is odd.
func (g *Group) judgeCosts() {
	bySource := map[string][]Machine{}
	for _, m := range g.Machines {
		bySource[m.ClockSource] = append(bySource[m.ClockSource], m)
	}
	usual := map[string][]Spread{}
	for source, machines := range bySource {
		if g.isFew(len(machines)) {
			usual[source] = g.Clocks
		} else {
			usual[source] = spreads(machines)
		}
	}
	for i := range g.Machines {
		m := &g.Machines[i]
		type oddCost struct {
			ratio float64
			text  string
		}
		var all []oddCost
		for k := range m.Clocks {
			c := &m.Clocks[k]
			for _, s := range usual[m.ClockSource] {
				if c.Odd = s.Clock == c.Clock && s.odd(c.QuietNS) && !c.Unsteady; c.Odd {
					all = append(all, oddCost{math.Abs(math.Log(c.QuietNS / s.MedianNS)),
						fmt.Sprintf("%s costs %s ns/read (usual: %s, quartiles %s to %s)",
							c.Clock, words.NS(c.QuietNS), words.NS(s.MedianNS), words.NS(s.Q1NS), words.NS(s.Q3NS))})
					break
				}
			}
		}
		slices.SortStableFunc(all, func(a, b oddCost) int { return cmp.Compare(b.ratio, a.ratio) })
		var texts []string
		for _, c := range all[:min(len(all), mostClocks)] {
			texts = append(texts, c.text)
		}
		if more := len(all) - mostClocks; more > 0 {
			texts = append(texts, fmt.Sprintf("%d more", more))
		}
		if len(texts) > 0 {
			m.because(OddCost, "%s", strings.Join(texts, "; "))
		}
	}
}

// odd reports whether a cost is beyond the outer fences, and not near the median.
func (s *Spread) odd(ns float64) bool {
	if s.Machines < enough || s.MedianNS <= 0 || ns <= 0 {
		return false
	}
	room := fence * (s.Q3NS - s.Q1NS)
	return ns > max(s.Q3NS+room, s.MedianNS*leastRatio) || ns < min(s.Q1NS-room, s.MedianNS/leastRatio)
}

func (g *Group) judgeFindings() {
	number := map[string]int{}
	for i := range g.Machines {
		for _, f := range g.Machines[i].Findings {
			number[f.Kind]++
		}
	}
	for i := range g.Machines {
		m := &g.Machines[i]
		for _, f := range m.Findings {
			if g.isFew(number[f.Kind]) {
				m.because(OddFinding, "%s", f.text())
			}
		}
	}
}

func spreads(machines []Machine) []Spread {
	figures := map[string][]float64{}
	var order []string
	for i := range machines {
		for _, c := range machines[i].Clocks {
			if figures[c.Clock] == nil {
				order = append(order, c.Clock)
			}
			figures[c.Clock] = append(figures[c.Clock], c.QuietNS)
		}
	}
	all := []Spread{}
	for _, clock := range order {
		f := figures[clock]
		slices.Sort(f)
		all = append(all, Spread{clock, len(f), f[0], quantile(0.25, f), rounded(stats.Median(f)), quantile(0.75, f),
			f[len(f)-1]})
	}
	return all
}

func quantile(share float64, figures []float64) float64 {
	return rounded(stats.Quantile(share, figures))
}

// rounded returns a figure to 0.0001 ns: the last digits of a value between two figures differ between CPUs.
func rounded(ns float64) float64 { return math.Round(ns*1e4) / 1e4 }
