package fleet

import (
	"cmp"
	"slices"
)

// A Group is the machines that should be alike.
type Group struct {
	Alike
	// ClockSources are how many machines have each clock source, the most common first.
	ClockSources []Count `json:"clocksources,omitempty"`
	// Machines are the machines, by name.
	Machines []Machine `json:"machines"`
	// Clocks are how the costs of each clock are spread.
	Clocks []Spread `json:"clocks"`
	// TooFew is whether the group has too few machines to find odd ones.
	TooFew bool `json:"too_few,omitempty"`
}

// A Count is how many machines have something.
type Count struct {
	Name     string `json:"name"`
	Machines int    `json:"machines"`
}

// A Spread is how the quiet costs of a clock are spread over the machines of a group.
type Spread struct {
	Clock    string  `json:"clock"`
	Machines int     `json:"machines"`
	LeastNS  float64 `json:"least_ns"`
	Q1NS     float64 `json:"q1_ns"`
	MedianNS float64 `json:"median_ns"`
	Q3NS     float64 `json:"q3_ns"`
	MostNS   float64 `json:"most_ns"`
}

// Groups puts the machines that should be alike together, and judges each group. The largest comes first.
func Groups(machines []Machine) []Group {
	byAlike := map[Alike]*Group{}
	var all []*Group
	for _, m := range machines {
		g := byAlike[m.alike]
		if g == nil {
			g = &Group{Alike: m.alike}
			byAlike[m.alike], all = g, append(all, g)
		}
		g.Machines = append(g.Machines, m)
	}
	groups := []Group{}
	for _, g := range all {
		slices.SortFunc(g.Machines, func(a, b Machine) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File))
		})
		g.judge()
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Machines), len(a.Machines)), cmp.Compare(a.Kernel, b.Kernel),
			cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.Hypervisor, b.Hypervisor), cmp.Compare(a.Version, b.Version))
	})
	return groups
}

// counted returns how many machines have each name, the most common first. A machine without a name is not counted.
func counted(machines []Machine, name func(*Machine) string) []Count {
	number := map[string]int{}
	for i := range machines {
		if n := name(&machines[i]); n != "" {
			number[n]++
		}
	}
	var all []Count
	for n, machines := range number {
		all = append(all, Count{n, machines})
	}
	slices.SortFunc(all, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Machines, a.Machines), cmp.Compare(a.Name, b.Name))
	})
	return all
}
