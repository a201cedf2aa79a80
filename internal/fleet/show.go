package fleet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
		{Name: "Machines", Value: fmt.Sprintf("%s in %s that should be alike", words.Thousands(int64(f.Machines)), words.Plural(len(f.Groups), "group"))},
	}
	if len(f.Unread) > 0 {
		facts = append(facts, table.Fact{Name: "Not read", Value: words.Plural(len(f.Unread), "result")})
	}
	return facts
}

// Verdict returns the summary in one sentence.
func (f *Fleet) Verdict() string {
	switch {
	case f.Machines == 0:
		return "No result could be read."
	case f.TooFew():
		return fmt.Sprintf("No group has %d machines, which is what it takes to tell which are odd.", enough)
	case f.Odd == 0:
		text := fmt.Sprintf("None of %s differs from its group", words.Plural(f.Machines, "machine"))
		if i := slices.IndexFunc(f.Groups, func(g Group) bool { return len(g.ClockSources) > 1 }); i >= 0 {
			return text + ", but a group has several clock sources: " + f.Groups[i].sources() + "."
		}
		return text + "."
	}
	var names []string
	for _, m := range f.all() {
		if len(m.Reasons) > 0 {
			names = append(names, m.Name)
		}
	}
	const most = 3
	if rest := len(names) - most; rest > 1 {
		names = append(names[:most], fmt.Sprintf("%d more", rest))
	}
	return fmt.Sprintf("%d of %s differ%s from %s group: %s.", f.Odd, words.Plural(f.Machines, "machine"), map[bool]string{true: "s"}[f.Odd == 1], map[bool]string{true: "its", false: "their"}[f.Odd == 1], words.List(names))
}

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

func (f *Fleet) oddBlock() table.Block {
	b := table.Block{Title: "Odd machines"}
	for _, m := range f.all() {
		if len(m.Reasons) == 0 {
			continue
		}
		if len(b.Facts.Lines) == mostMachines {
			b.Notes = []string{fmt.Sprintf("%d more in the CSV and the JSON document.", f.Odd-mostMachines)}
			break
		}
		var why []string
		for _, r := range m.Reasons {
			why = append(why, words.Sentence(r.Text))
		}
		b.Facts.Lines = append(b.Facts.Lines, table.Fact{Name: m.Name, Value: strings.Join(why, " ")})
	}
	return b
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
		grid.Note = strings.TrimSpace(grid.Note + fmt.Sprintf(" Fewer than %d machines: which are odd cannot be told.", enough))
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
