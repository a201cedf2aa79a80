package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// Changes are the changes of the shares of programs.
type Changes struct {
	section.Coverage
	// OldClockCPUs and NewClockCPUs are the CPU time of all reads, in CPUs.
	OldClockCPUs float64 `json:"old_clock_cpus"`
	NewClockCPUs float64 `json:"new_clock_cpus"`
	// Programs has an entry for each program that both documents have, by name, and that reads a clock in one of them.
	Programs []ProgramChange `json:"programs"`
}

// A ProgramChange is the share of a program in both documents: of all its processes together.
type ProgramChange struct {
	Program string  `json:"program"`
	Old     float64 `json:"old_clock_share"`
	OldLow  float64 `json:"old_clock_share_low"`
	OldHigh float64 `json:"old_clock_share_high"`
	New     float64 `json:"new_clock_share"`
	NewLow  float64 `json:"new_clock_share_low"`
	NewHigh float64 `json:"new_clock_share_high"`
	// Changed is whether the intervals do not overlap.
	Changed bool `json:"changed"`
}

// A programShare is the share of all processes of a program.
type programShare struct {
	name             string
	share, low, high float64
	cpus             float64
}

// byProgram returns the shares of the programs, that with most CPU time in reads first. The
// shares of several processes are weighted with their CPU time, and so are the ends of the
// intervals, which is wider than the interval of the mean.
func byProgram(s *Profile) []programShare {
	sums := map[string]*programShare{}
	for _, p := range s.Processes {
		sum := sums[p.Command]
		if sum == nil {
			sum = &programShare{name: p.Command}
			sums[p.Command] = sum
		}
		sum.share += (p.UserShare + p.KernelShare + p.SyscallShare) * p.CPUsUsed
		sum.low += p.ClockShareLow * p.CPUsUsed
		sum.high += p.ClockShareHigh * p.CPUsUsed
		sum.cpus += p.CPUsUsed
	}
	var all []programShare
	for _, sum := range sums {
		if sum.cpus > 0 {
			all = append(all, programShare{sum.name, min(1, sum.share/sum.cpus), min(1, sum.low/sum.cpus), min(1, sum.high/sum.cpus), sum.share})
		}
	}
	slices.SortFunc(all, func(a, b programShare) int { return cmp.Or(cmp.Compare(b.cpus, a.cpus), cmp.Compare(a.name, b.name)) })
	return all
}

// changesOf returns what changed between two documents.
func changesOf(old, new *Profile) section.Comparison {
	changes := changed(old, new)
	all := section.Comparison{Value: changes, Block: changes.block()}
	n := words.Number
	for _, p := range changes.Programs {
		all.Changes = append(all.Changes, section.Change{
			Clock: p.Program, What: "share of CPU time in reads", Old: n(p.Old), OldBound: n(max(p.Old-p.OldLow, p.OldHigh-p.Old)),
			New: n(p.New), NewBound: n(max(p.New-p.NewLow, p.NewHigh-p.New)), Changed: p.Changed,
		})
	}
	if old != nil && new != nil {
		all.Settings = section.Differing(
			section.Setting{What: "scope of the profile", Old: old.Scope, New: new.Scope},
			section.Setting{What: "profile sees the kernel", Old: strconv.FormatBool(old.SeesKernel), New: strconv.FormatBool(new.SeesKernel)},
		)
	}
	return all
}

// changed compares two sections; either may be nil.
func changed(old, new *Profile) *Changes {
	c := &Changes{Coverage: section.Covered(old != nil, new != nil), Programs: []ProgramChange{}}
	if c.OnlyIn != "" {
		return c
	}
	c.OldClockCPUs, c.NewClockCPUs = old.ClockCPUs, new.ClockCPUs
	olds, news := byProgram(old), byProgram(new)
	// Most programs read no clock. What runs at a moment is chance.
	reads := map[string]bool{}
	for _, p := range slices.Concat(olds, news) {
		if p.share > 0 {
			reads[p.name] = true
		}
	}
	idle := func(p programShare) bool { return !reads[p.name] }
	c.OnlyOld, c.OnlyNew = section.Match(slices.DeleteFunc(olds, idle), slices.DeleteFunc(news, idle), func(p programShare) string { return p.name }, func(old, new programShare) {
		c.Programs = append(c.Programs, ProgramChange{
			old.name, old.share, old.low, old.high, new.share, new.low, new.high, old.high < new.low || new.high < old.low,
		})
	})
	return c
}

// block returns the table of the shares.
func (c *Changes) block() table.Block {
	b := table.Block{Title: "Programs that read clocks"}
	if c.OnlyIn != "" {
		b.Verdict = c.Absent()
		return b
	}
	g := table.Grid{Title: "CPU time in reads of clocks, in % of the CPU time of the program", Header: []string{"Program", "old", "95% CI", "new", "95% CI", "verdict"}, Spare: []int{4, 2}}
	changed := 0
	for _, p := range c.Programs {
		if p.Changed {
			changed++
		}
		g.Rows = append(g.Rows, []string{
			p.Program, share(p.Old), share(p.OldLow) + " – " + share(p.OldHigh), share(p.New), share(p.NewLow) + " – " + share(p.NewHigh), section.SameOrChanged(p.Changed),
		})
	}
	b.Grids = []table.Grid{g}
	b.Notes = append(c.Notes(), fmt.Sprintf("All reads together take %s CPUs in the old document and %s in the new one.", cpus(c.OldClockCPUs), cpus(c.NewClockCPUs)))
	b.Verdict = section.Verdict(changed, len(c.Programs), "share", " by more than both intervals")
	return b
}
