package render

import (
	"io"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/show/table"
)

// DiffCSV writes the figures of each section, with an empty line between two sections. A section
// without figures is left out if another has some.
func DiffCSV(w io.Writer, d *diff.Diff) error {
	var tables [][][]string
	all, _ := d.Count()
	for _, of := range d.Sections {
		if lines := of.Value.CSV(of.Key); len(lines) > 1 || all == 0 {
			tables = append(tables, lines)
		}
	}
	return table.WriteTables(w, tables)
}

func sideFacts(d *diff.Diff) []table.Fact {
	side := func(name string, s diff.Side) table.Fact {
		value := s.File + ", " + s.GeneratedAt.UTC().Format("2006-01-02 15:04:05 UTC")
		if len(s.Noise) > 0 {
			value += "; measured under noise: " + strings.Join(s.Noise, ", ")
		}
		return table.Fact{Name: name, Value: value}
	}
	facts := []table.Fact{side("Old", d.Old), side("New", d.New)}
	if d.Old.GeneratedAt.After(d.New.GeneratedAt) {
		facts[0].Value += "; newer than the new one: are they swapped?"
	}
	return facts
}

// setupFacts returns the differences between the machines, tools and settings, and between the labels and the noise of
// the runs, which do not explain a change. They are lines, because the name of a CPU is as wide as a table.
func setupFacts(d *diff.Diff) []table.Fact {
	var lines []table.Fact
	all := slices.Clone(d.Setup)
	for _, of := range []struct {
		what     string
		old, new []string
	}{{"Labels", d.Old.Labels, d.New.Labels}, {"Noise", d.Old.Noise, d.New.Noise}} {
		if !slices.Equal(of.old, of.new) {
			all = append(all, diff.Difference{What: of.what, Old: strings.Join(of.old, ", "), New: strings.Join(of.new, ", ")})
		}
	}
	for _, s := range all {
		lines = append(lines, table.Fact{Name: s.What, Value: orDash(s.Old) + " → " + orDash(s.New)})
	}
	return lines
}

const sameSetup = "Machine, tool and settings are the same."

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
