package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/section"
)

// Changes are the changes of the shares of programs, each of all processes of the program together. It has
// those that read a clock in one of the documents.
type Changes struct {
	section.Changes
	// OldClockCPUs and NewClockCPUs are the CPU time of all reads, in CPUs.
	OldClockCPUs float64 `json:"old_clock_cpus"`
	NewClockCPUs float64 `json:"new_clock_cpus"`
}

// A programShare is the share of all processes of a program.
type programShare struct {
	name             string
	share, low, high float64
	cpus             float64
}

// byProgram returns the shares of the programs, the program with most CPU time in reads first. The shares of several
// processes are weighted with their CPU time, and so are the ends of the intervals, which is wider than the interval of
// the mean.
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
			all = append(all, programShare{sum.name, min(1, sum.share/sum.cpus), min(1, sum.low/sum.cpus),
				min(1, sum.high/sum.cpus), sum.share})
		}
	}
	slices.SortFunc(all, func(a, b programShare) int {
		return cmp.Or(cmp.Compare(b.cpus, a.cpus), cmp.Compare(a.name, b.name))
	})
	return all
}

func (p programShare) value() section.Value {
	return section.Value{Value: p.share, Bound: max(p.share-p.low, p.high-p.share), Low: p.low, High: p.high}
}

// changesOf returns what changed between two documents: the shares whose intervals do not overlap.
func changesOf(old, new *Profile) section.Comparison {
	all := &Changes{OldClockCPUs: old.ClockCPUs, NewClockCPUs: new.ClockCPUs}
	olds, news := byProgram(old), byProgram(new)
	// Most programs read no clock, and run by chance, so they are not compared.
	reads := map[string]bool{}
	for _, p := range slices.Concat(olds, news) {
		if p.share > 0 {
			reads[p.name] = true
		}
	}
	idle := func(p programShare) bool { return !reads[p.name] }
	all.OnlyOld, all.OnlyNew = section.Match(slices.DeleteFunc(olds, idle), slices.DeleteFunc(news, idle),
		func(p programShare) string { return p.name }, func(old, new programShare) {
			all.Add(section.Change{Subject: old.name, What: "share of CPU time in reads", Old: old.value(),
				New: new.value()}, old.high < new.low || new.high < old.low)
		})
	b := all.Block("CPU time in reads of clocks, in % of the CPU time of the program", "share",
		" by more than both intervals", section.Columns("Program", "",
			section.Part{Cell: func(v section.Value) string { return share(v.Number()) }},
			section.Part{Name: "95% CI", Spare: 2,
				Cell: func(v section.Value) string { return share(v.Low) + " – " + share(v.High) }}))
	b.Title = changesTitle
	b.Notes = append(b.Notes, fmt.Sprintf("All reads together take %s CPUs in the old document and %s in the new one.",
		cpus(old.ClockCPUs), cpus(new.ClockCPUs)))
	return section.Comparison{Value: all, Block: b, Settings: section.Differing(
		section.Difference{What: "scope of the profile", Old: old.Scope, New: new.Scope},
		section.Difference{What: "profile sees the kernel", Old: strconv.FormatBool(old.SeesKernel),
			New: strconv.FormatBool(new.SeesKernel)},
	)}
}

const changesTitle = "Programs that read clocks"
