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

// The limits of tables for people. The CSV and the document have everything.
const (
	mostGroups   = 10
	mostMachines = 50
	mostUnread   = 20
)

// Verdict returns the summary in a few sentences.
func (f *Fleet) Verdict() string {
	var all []string
	for _, text := range []string{f.Faulty(false), f.Differing()} {
		if text != "" {
			all = append(all, text+".")
		}
	}
	switch {
	case f.TooFew():
		all = append(all, "No machine is judged: "+words.Sentence(NeedSimilar))
	case f.Odd == 0:
		text := fmt.Sprintf("None of %s differs from its group", words.Plural(f.Machines-f.unjudged(), "machine"))
		if i := slices.IndexFunc(f.Groups, func(g Group) bool { return len(g.ClockSources) > 1 }); i >= 0 {
			text += ", but a group has several clock sources: " + f.Groups[i].sources()
		}
		all = append(all, text+".")
	}
	if n := f.unjudged(); n > 0 && !f.TooFew() {
		all = append(all, words.Plural(n, "machine")+words.Are(n)+" not judged: "+words.Sentence(NeedSimilar))
	}
	if n := len(f.Unread); n > 0 {
		all = append(all, fmt.Sprintf("%s of %s could not be read.", words.Count(float64(n)),
			words.Plural(f.Machines+f.LeftOut+n, "result")))
	}
	if f.LeftOut > 0 {
		all = append(all, words.Plural(f.LeftOut, "result")+words.Are(f.LeftOut)+
			" left out: the same host has a newer one, or one with costs.")
	}
	return strings.Join(all, " ")
}

// unjudged returns the number of machines in groups that are too small to find odd ones.
func (f *Fleet) unjudged() (machines int) {
	for i := range f.Groups {
		if f.Groups[i].TooFew {
			machines += len(f.Groups[i].Machines)
		}
	}
	return machines
}

// NeedSimilar explains why a group has no odd machine.
var NeedSimilar = fmt.Sprintf("%d similar machines are needed to find odd ones", enough)

// Blocks returns the tables: the odd machines, the groups, the findings, and what could not be read.
func (f *Fleet) Blocks() []table.Block {
	all := []table.Block{f.oddBlock()}
	for i := range f.Groups[:min(len(f.Groups), mostGroups)] {
		all = append(all, f.Groups[i].block())
	}
	if rest := len(f.Groups) - mostGroups; rest > 0 {
		all[len(all)-1].Notes = append(all[len(all)-1].Notes, words.Plural(rest,
			"group")+" more in the CSV and the JSON document.")
	}
	all = append(all, f.findingsBlock(), f.unreadBlock())
	return slices.DeleteFunc(all, func(b table.Block) bool { return !b.HasRows() && len(b.Facts.Lines) == 0 })
}

func (f *Fleet) oddBlock() table.Block {
	b := table.Block{Title: "Odd machines and errors"}
	all := f.notable()
	for _, m := range all[:min(len(all), mostMachines)] {
		b.Facts.Lines = append(b.Facts.Lines, table.Fact{Name: m.Name, Value: strings.Join(m.why(), " ")})
	}
	if more := len(all) - mostMachines; more > 0 {
		b.Notes = []string{words.Count(float64(more)) + " more in the CSV and the JSON document."}
	}
	return b
}

// notable returns the odd machines, and then the other machines with an error.
func (f *Fleet) notable() (all []*Machine) {
	for _, m := range f.all() {
		if len(m.why()) > 0 {
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b *Machine) int { return min(len(b.Reasons), 1) - min(len(a.Reasons), 1) })
	return all
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

var spreadColumns = []table.Column[Spread]{
	{Name: "Clock, ns/read", Left: true, Text: func(s Spread) string { return s.Clock }},
	{Name: "machines", Unit: words.Count, Value: func(s Spread) float64 { return float64(s.Machines) }},
	{Name: "min", Unit: words.NS, Value: func(s Spread) float64 { return s.LeastNS }},
	{Name: "1st quartile", Spare: 2, Unit: words.NS, Value: func(s Spread) float64 { return s.Q1NS }},
	{Name: "median", Unit: words.NS, Value: func(s Spread) float64 { return s.MedianNS }},
	{Name: "3rd quartile", Spare: 1, Unit: words.NS, Value: func(s Spread) float64 { return s.Q3NS }},
	{Name: "max", Unit: words.NS, Value: func(s Spread) float64 { return s.MostNS }},
}

func (g *Group) block() table.Block {
	grid := table.Of(g.title(), g.Clocks, spreadColumns)
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
		all = append(all, c.Name+" "+words.Count(float64(c.Machines)))
	}
	return strings.Join(all, ", ")
}

func (f *Fleet) findingsBlock() table.Block {
	return table.Block{Grids: []table.Grid{table.Of("Findings of doctor", f.Findings, []table.Column[FoundOn]{
		{Name: "Finding", Left: true, Text: func(f FoundOn) string { return f.Kind }},
		{Name: "severity", Left: true, Text: func(f FoundOn) string { return f.Severity }},
		{Name: "machines", Unit: words.Count, Value: func(f FoundOn) float64 { return float64(f.Machines) }},
	})}}
}

func (f *Fleet) unreadBlock() table.Block {
	b := table.Block{Facts: table.Facts{Title: "Not read"}}
	for _, u := range f.Unread[:min(len(f.Unread), mostUnread)] {
		b.Facts.Lines = append(b.Facts.Lines, table.Fact{Name: u.File, Value: u.Reason})
	}
	if rest := len(f.Unread) - mostUnread; rest > 0 {
		b.Notes = []string{words.Count(float64(rest)) + " more in the CSV and the JSON document."}
	}
	return b
}

// A member is a machine with one of its costs, and the number of its group, from 1.
type member struct {
	*Machine
	group  *Group
	number int
	cost   Cost
}

var (
	// memberColumns begin each line about a machine.
	memberColumns = []table.Column[member]{
		{Key: "machine", Text: func(m member) string { return m.Name }},
		{Key: "file", Text: func(m member) string { return m.File }},
		{Key: "group", Value: func(m member) float64 { return float64(m.number) }},
	}
	machineColumns = append(slices.Clone(memberColumns), []table.Column[member]{
		{Key: "cpu", Text: func(m member) string { return m.group.CPU }},
		{Key: "kernel", Text: func(m member) string { return m.group.Kernel }},
		{Key: "hypervisor", Text: func(m member) string { return m.group.Hypervisor }},
		{Key: "version", Text: func(m member) string { return m.group.Version }},
		{Key: "clocksource", Text: func(m member) string { return m.ClockSource }},
		{Key: "labels", Text: func(m member) string { return strings.Join(m.Labels, " ") }},
		{Key: "odd", Text: func(m member) string { return strconv.FormatBool(len(m.Reasons) > 0) }},
		{Key: "reasons", Text: func(m member) string {
			return joined(m.Reasons, ". ", func(r Reason) string { return r.Text })
		}},
		{Key: "findings", Text: func(m member) string {
			return joined(m.Findings, " ", func(f Finding) string { return f.Kind })
		}},
	}...)
	costColumns = append(slices.Clone(memberColumns), []table.Column[member]{
		{Key: "clock", Text: func(m member) string { return m.cost.Clock }},
		{Key: "median_ns", Value: func(m member) float64 { return m.cost.MedianNS }},
		{Key: "quiet_ns", Value: func(m member) float64 { return m.cost.QuietNS }},
		{Key: "kernel_entry", Text: func(m member) string { return m.cost.KernelEntry }},
	}...)
	unreadColumns = []table.Column[Unread]{
		{Key: "file", Text: func(u Unread) string { return u.File }},
		{Key: "reason", Text: func(u Unread) string { return u.Reason }},
	}
)

func joined[T any](all []T, separator string, text func(T) string) string {
	texts := make([]string, len(all))
	for i, of := range all {
		texts[i] = text(of)
	}
	return strings.Join(texts, separator)
}

// Lines returns the tables of the CSV: the machines, the costs, and what could not be read.
func (f *Fleet) Lines() [][][]string {
	var machines, costs []member
	for i := range f.Groups {
		g := &f.Groups[i]
		for k := range g.Machines {
			m := &g.Machines[k]
			machines = append(machines, member{Machine: m, group: g, number: i + 1})
			for _, c := range m.Clocks {
				costs = append(costs, member{m, g, i + 1, c})
			}
		}
	}
	tables := [][][]string{table.Lines(machines, machineColumns), table.Lines(costs, costColumns)}
	if len(f.Unread) > 0 {
		tables = append(tables, table.Lines(f.Unread, unreadColumns))
	}
	return tables
}
