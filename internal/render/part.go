package render

import (
	"io"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
)

// A part is what a document holds beside what its clocks cost: its tables, and the
// sentences beneath them.
type part struct {
	title string
	grids []grid
	// faults are sentences that a reader must not miss.
	faults []string
	notes  []string
	// verdict says the whole in a sentence.
	verdict string
}

// parts are the parts that a document holds.
func parts(d *result.Document) []part {
	var all []part
	for _, of := range []func(*result.Document) []part{verification, skew, drift} {
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
func partFacts(d *result.Document) []fact {
	var all []fact
	if v := d.Verification; v != nil {
		text := "for " + words.Duration(float64(v.DurationNS)) + " on " + words.CPUs(v.CPUs)
		if v.Load {
			text += ", every CPU kept busy"
		}
		all = append(all, fact{"Verified", text})
	}
	if s := d.Skew; s != nil {
		all = append(all, fact{"Skew", "measured for " + words.Duration(float64(s.DurationNS)) + " on " + words.CPUs(s.CPUs)})
	}
	if t := d.Drift; t != nil {
		text := "measured for " + words.Duration(float64(t.DurationNS)) + " against " + t.Reference
		if t.LoadedFromNS > 0 {
			text += ", every CPU kept busy from " + words.Duration(float64(t.LoadedFromNS)) + " on"
		}
		all = append(all, fact{"Drift", text})
	}
	return all
}

// lost says which CPUs went away; nothing where none did.
func lost(cpus []int) []string {
	if len(cpus) == 0 {
		return nil
	}
	return []string{"Lost during the run: " + words.CPUs(cpus) + "."}
}

// reasons are why clocks are not there, each once, with all clocks that share it.
type reasons struct {
	texts  []string
	clocks [][]string
}

func (r *reasons) add(clock, reason string) {
	if reason == "" {
		return
	}
	i := slices.Index(r.texts, reason)
	if i < 0 {
		i, r.texts, r.clocks = len(r.texts), append(r.texts, reason), append(r.clocks, nil)
	}
	r.clocks[i] = append(r.clocks[i], clock)
}

func (r *reasons) lines() []string {
	var lines []string
	for i, text := range r.texts {
		lines = append(lines, strings.Join(r.clocks[i], ", ")+": "+text)
	}
	return lines
}

// hasRows reports whether any table of the part has something in it.
func (p part) hasRows() bool {
	return slices.ContainsFunc(p.grids, func(g grid) bool { return len(g.rows) > 0 })
}

// write writes the part for people, within Width columns.
func (p part) write(out *strings.Builder) {
	if !p.hasRows() {
		out.WriteString("\n" + indented(p.title, 0))
	}
	for _, g := range p.grids {
		if len(g.rows) == 0 {
			continue
		}
		out.WriteString("\n" + indented(g.title, 0) + "\n" + g.fitted() + "\n")
		if g.note != "" {
			out.WriteString(wrapped(g.note))
		}
	}
	for _, lines := range [][]string{p.faults, p.notes, words.Present(p.verdict)} {
		if len(lines) > 0 {
			out.WriteString("\n")
		}
		for _, line := range lines {
			out.WriteString(indented(line, 0))
		}
	}
}

// writeMarkdown writes the part for a bug report.
func (p part) writeMarkdown(out *strings.Builder) {
	if !p.hasRows() {
		out.WriteString("\n### " + escape(p.title) + "\n")
	}
	for _, g := range p.grids {
		writeMarkdownGrid(out, g)
	}
	for _, lines := range [][]string{p.faults, p.notes} {
		if len(lines) > 0 {
			out.WriteString("\n")
		}
		for _, line := range lines {
			out.WriteString("- " + escape(line) + "\n")
		}
	}
	if p.verdict != "" {
		out.WriteString("\n**" + escape(p.verdict) + "**\n")
	}
}

// part writes a part into the page.
func (p *page) part(of part) {
	if !of.hasRows() {
		p.element("h2", "", of.title)
	}
	for _, g := range of.grids {
		p.grid(g)
	}
	for _, line := range of.faults {
		p.element("p", "warning", line)
	}
	for _, line := range of.notes {
		p.element("p", "note", line)
	}
	if of.verdict != "" {
		p.element("p", "", of.verdict)
	}
}

// partFormats are the formats of one part of a document, the default first.
func partFormats(name string, of func(*result.Document) []part, csvAbout string, lines func(*result.Document) [][]string) []Format[*result.Document] {
	return []Format[*result.Document]{
		{"table", "for people, within 100 columns", func(w io.Writer, d *result.Document) error { return partTable(w, cleaned(d), of) }},
		{"markdown", "for a bug report", func(w io.Writer, d *result.Document) error { return partMarkdown(w, cleaned(d), name, of) }},
		{"csv", csvAbout, func(w io.Writer, d *result.Document) error { return writeCSV(w, lines(d)) }},
		{"json", "the whole document", func(w io.Writer, d *result.Document) error { return d.Write(w) }},
	}
}

func partTable(w io.Writer, d *result.Document, of func(*result.Document) []part) error {
	var out strings.Builder
	writeFacts(&out, facts(d))
	writeWarnings(&out, d)
	for _, p := range of(d) {
		p.write(&out)
	}
	return Show(w, out.String())
}

func partMarkdown(w io.Writer, d *result.Document, name string, of func(*result.Document) []part) error {
	var out strings.Builder
	out.WriteString("## timebench " + name + "\n\n")
	writeMarkdownWarnings(&out, d)
	writeMarkdownFacts(&out, d)
	for _, p := range of(d) {
		p.writeMarkdown(&out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
