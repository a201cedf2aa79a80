package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
)

// changesOf returns what changed between two documents: the verdicts on clocks, with the kinds of their faults. The
// table has the changes only.
func changesOf(old, new *Verification) section.Comparison {
	all := &section.Changes{}
	all.OnlyOld, all.OnlyNew = section.Match(old.Clocks, new.Clocks, func(c VerifiedClock) string { return c.ID },
		func(old, new VerifiedClock) {
			o, n := section.Value{Value: old.Verdict, Detail: kinds(old.Faults)},
				section.Value{Value: new.Verdict, Detail: kinds(new.Faults)}
			all.Add(section.Change{Subject: old.ID, What: "verdict", Old: o, New: n}, o != n)
		})
	changed := slices.DeleteFunc(slices.Clone(all.Changes),
		func(c section.Change) bool { return c.Verdict == section.Same })
	grid := table.Of(changesTitle, changed, []table.Column[section.Change]{
		{Name: "Clock", Left: true, Text: func(c section.Change) string { return c.Subject }},
		{Name: "what", Left: true, Text: func(c section.Change) string { return c.What }},
		{Name: "old", Left: true, Text: func(c section.Change) string { return withFaults(c.Old) }},
		{Name: "new", Left: true, Text: func(c section.Change) string { return withFaults(c.New) }},
	})
	b := table.Block{Title: changesTitle, Grids: []table.Grid{grid}, Notes: all.Notes(),
		Verdict: section.Verdict(len(changed), len(all.Changes), "verdict", "")}
	return section.Comparison{Value: all, Block: b, Settings: section.Differing(
		section.Difference{What: "CPUs verified on", Old: counted(old.CPUs), New: counted(new.CPUs)},
		section.Difference{What: "Verified under load", Old: strconv.FormatBool(old.Load),
			New: strconv.FormatBool(new.Load)},
	)}
}

const changesTitle = "Verification"

// kinds returns the kinds of the faults, sorted, each once.
func kinds(faults []ClockFault) string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Kind)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

func withFaults(v section.Value) string {
	text := fmt.Sprint(v.Value)
	if v.Detail != "" {
		text += " (" + v.Detail + ")"
	}
	return text
}

func counted(cpus []int) string {
	if len(cpus) == 0 {
		return ""
	}
	return strconv.Itoa(len(cpus))
}
