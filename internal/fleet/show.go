package fleet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The most that tables for people have. The CSV and the document have all.
const (
	mostGroups   = 10
	mostMachines = 50
	mostUnread   = 20
)

// Facts returns what was compared.
func (f *Fleet) Facts() []table.Fact {
	facts := []table.Fact{
		{Name: "Machines", Value: fmt.Sprintf("%s in %s", words.Thousands(int64(f.Machines)), words.Plural(len(f.Groups), "group"))},
	}
	if len(f.Unread) > 0 {
		facts = append(facts, table.Fact{Name: "Not read", Value: words.Plural(len(f.Unread), "result")})
	}
	return facts
}

// Verdict returns the summary in one or two sentences.
func (f *Fleet) Verdict() string {
	if f.Machines == 0 {
		return "No result could be read."
	}
	var all []string
	for _, text := range []string{f.Faulty(false), f.Differing()} {
		if text != "" {
			all = append(all, text+".")
		}
	}
	switch {
	case f.TooFew():
		all = append(all, words.Sentence(NeedSimilar))
	case f.Odd == 0:
		text := fmt.Sprintf("None of %s differs from its group", words.Plural(f.Machines, "machine"))
		if i := slices.IndexFunc(f.Groups, func(g Group) bool { return len(g.ClockSources) > 1 }); i >= 0 {
			text += ", but a group has several clock sources: " + f.Groups[i].sources()
		}
		all = append(all, text+".")
	}
	return strings.Join(all, " ")
}

// NeedSimilar is why no machine of a group is odd.
var NeedSimilar = fmt.Sprintf("%d similar machines are needed to find odd ones", enough)

// Blocks returns the tables: the odd machines, the groups, the findings, and what could not be read.
func (f *Fleet) Blocks() []table.Block {
	all := []table.Block{f.oddBlock()}
	for i := range f.Groups[:min(len(f.Groups), mostGroups)] {
		all = append(all, f.Groups[i].block())
	}
	if rest := len(f.Groups) - mostGroups; rest > 0 {
		all[len(all)-1].Notes = append(all[len(all)-1].Notes, words.Plural(rest, "group")+" more in the CSV and the JSON document.")
	}
	all = append(all, f.findingsBlock(), f.unreadBlock())
	return slices.DeleteFunc(all, func(b table.Block) bool { return !b.HasRows() && len(b.Facts.Lines) == 0 })
}

// oddBlock returns the odd machines, and those with an error.
func (f *Fleet) oddBlock() table.Block {
	b := table.Block{Title: "Odd machines and errors"}
	shown := 0
	for _, odd := range []bool{true, false} { // odd machines first
		for _, m := range f.all() {
			why := m.why()
			if len(why) == 0 || len(m.Reasons) > 0 != odd {
				continue
			}
			if shown++; shown <= mostMachines {
				b.Facts.Lines = append(b.Facts.Lines, table.Fact{Name: m.Name, Value: strings.Join(why, " ")})
			}
		}
	}
	if more := shown - mostMachines; more > 0 {
		b.Notes = []string{fmt.Sprintf("%d more in the CSV and the JSON document.", more)}
	}
	return b
}

// why returns why a machine is odd, and its errors.
func (m *Machine) why() (why []string) {
	for _, r := range m.Reasons {
		why = append(why, words.Sentence(r.Text))
	}
	for _, found := range m.Findings {
		if text := words.Sentence(found.text()); found.Severity == result.Error && !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	return why
}

func (g *Group) title() string {
	parts := words.Present(g.CPU, g.Kernel, g.Hypervisor, "timebench "+g.Version)
	return words.Plural(len(g.Machines), "machine") + ": " + strings.Join(parts, ", ")
}

func (g *Group) block() table.Block {
	grid := table.Grid{
		Title: g.title(), Texts: 1,
		Header: []string{"Clock, ns/read", "machines", "min", "1st quartile", "median", "3rd quartile", "max"}, Spare: []int{1, 3, 5},
	}
	for _, s := range g.Clocks {
		grid.Rows = append(grid.Rows, []string{s.Clock, strconv.Itoa(s.Machines), words.NS(s.LeastNS), words.NS(s.Q1NS), words.NS(s.MedianNS), words.NS(s.Q3NS), words.NS(s.MostNS)})
	}
	if len(g.ClockSources) > 0 {
		grid.Note = "Clock source: " + g.sources() + "."
	}
	if g.TooFew {
		grid.Note = strings.TrimSpace(grid.Note + " " + words.Sentence(NeedSimilar))
	}
	return table.Block{Title: g.title(), Grids: []table.Grid{grid}}
}

func (g *Group) sources() string {
	var all []string
	for _, c := range g.ClockSources {
		all = append(all, fmt.Sprintf("%s %d", c.Name, c.Machines))
	}
	return strings.Join(all, ", ")
}

func (f *Fleet) findingsBlock() table.Block {
	grid := table.Grid{Title: "Findings of doctor", Texts: 2, Header: []string{"Finding", "severity", "machines"}}
	for _, found := range f.Findings {
		grid.Rows = append(grid.Rows, []string{found.Kind, found.Severity, strconv.Itoa(found.Machines)})
	}
	return table.Block{Grids: []table.Grid{grid}}
}

func (f *Fleet) unreadBlock() table.Block {
	b := table.Block{Title: "Not read"}
	for _, u := range f.Unread[:min(len(f.Unread), mostUnread)] {
		b.Facts.Lines = append(b.Facts.Lines, table.Fact{Name: u.File, Value: u.Reason})
	}
	if rest := len(f.Unread) - mostUnread; rest > 0 {
		b.Notes = []string{fmt.Sprintf("%d more in the CSV and the JSON document.", rest)}
	}
	return b
}

// Lines returns the tables of the CSV: the machines, the costs, and what could not be read.
func (f *Fleet) Lines() [][][]string {
	machines := [][]string{{"machine", "file", "group", "cpu", "kernel", "hypervisor", "version", "clocksource", "labels", "odd", "reasons", "findings"}}
	costs := [][]string{{"machine", "file", "group", "clock", "median_ns", "quiet_ns", "kernel_entry"}}
	for i := range f.Groups {
		g := &f.Groups[i]
		group := strconv.Itoa(i + 1)
		for k := range g.Machines {
			m := &g.Machines[k]
			var reasons, findings []string
			for _, r := range m.Reasons {
				reasons = append(reasons, r.Text)
			}
			for _, found := range m.Findings {
				findings = append(findings, found.Kind)
			}
			machines = append(machines, []string{
				m.Name, m.File, group, g.CPU, g.Kernel, g.Hypervisor, g.Version, m.ClockSource, strings.Join(m.Labels, " "), strconv.FormatBool(len(m.Reasons) > 0),
				strings.Join(reasons, ". "), strings.Join(findings, " "),
			})
			for _, c := range m.Clocks {
				costs = append(costs, []string{m.Name, m.File, group, c.Clock, words.Number(c.MedianNS), words.Number(c.QuietNS), c.KernelEntry})
			}
		}
	}
	tables := [][][]string{machines, costs}
	if len(f.Unread) > 0 {
		unread := [][]string{{"file", "reason"}}
		for _, u := range f.Unread {
			unread = append(unread, []string{u.File, u.Reason})
		}
		tables = append(tables, unread)
	}
	return tables
}
