package render

import (
	"io"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// parts are the parts that a document holds.
func parts(d *result.Document) []table.Block {
	var all []table.Block
	for _, of := range []func(*result.Document) []table.Block{verification, skew, drift} {
		all = append(all, of(d)...)
	}
	return all
}

// partsOnly reports whether nothing was measured but parts.
func partsOnly(d *result.Document) bool {
	if d.Verification == nil && d.Skew == nil && d.Drift == nil {
		return false
	}
	return !slices.ContainsFunc(d.Clocks, func(c result.Clock) bool { return c.Latency != nil || len(c.Throughput) > 0 })
}

// partFacts say how the parts were measured.
func partFacts(d *result.Document) []table.Fact {
	var all []table.Fact
	if v := d.Verification; v != nil {
		text := "for " + words.Duration(float64(v.DurationNS)) + " on " + words.CPUs(v.CPUs)
		if v.Load {
			text += ", every CPU kept busy"
		}
		all = append(all, table.Fact{Name: "Verified", Value: text})
	}
	if s := d.Skew; s != nil {
		all = append(all, table.Fact{Name: "Skew", Value: "measured for " + words.Duration(float64(s.DurationNS)) + " on " + words.CPUs(s.CPUs)})
	}
	if t := d.Drift; t != nil {
		text := "measured for " + words.Duration(float64(t.DurationNS)) + " against " + t.Reference
		if t.LoadedFromNS > 0 {
			text += ", every CPU kept busy from " + words.Duration(float64(t.LoadedFromNS)) + " on"
		}
		all = append(all, table.Fact{Name: "Drift", Value: text})
	}
	return all
}

// part writes a part into the page.
func (p *page) part(of table.Block) {
	if !of.HasRows() {
		p.element("h2", "", of.Title)
	}
	for _, g := range of.Grids {
		p.grid(g)
	}
	for _, line := range of.Faults {
		p.element("p", "warning", line)
	}
	for _, line := range of.Notes {
		p.element("p", "note", line)
	}
	if of.Verdict != "" {
		p.element("p", "", of.Verdict)
	}
}

// partFormats are the formats of one part of a document, the default first.
func partFormats(name string, of func(*result.Document) []table.Block, csvAbout string, lines func(*result.Document) [][]string) []Format[*result.Document] {
	return []Format[*result.Document]{
		{"table", "for people, within 100 columns", func(w io.Writer, d *result.Document) error { return partTable(w, cleaned(d), of) }},
		{"markdown", "for a bug report", func(w io.Writer, d *result.Document) error { return partMarkdown(w, cleaned(d), name, of) }},
		{"csv", csvAbout, func(w io.Writer, d *result.Document) error { return table.WriteCSV(w, lines(d)) }},
		{"json", "the whole document", func(w io.Writer, d *result.Document) error { return d.Write(w) }},
	}
}

func partTable(w io.Writer, d *result.Document, of func(*result.Document) []table.Block) error {
	var out strings.Builder
	table.WriteFacts(&out, facts(d))
	writeWarnings(&out, d)
	for _, p := range of(d) {
		p.WriteText(&out)
	}
	return Show(w, out.String())
}

func partMarkdown(w io.Writer, d *result.Document, name string, of func(*result.Document) []table.Block) error {
	var out strings.Builder
	out.WriteString("## timebench " + name + "\n\n")
	writeMarkdownWarnings(&out, d)
	writeMarkdownFacts(&out, d)
	for _, p := range of(d) {
		p.WriteMarkdown(&out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
