package table

import (
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/timebench/timebench/internal/show/words"
)

// Facts are lines under a title, each beside its name.
type Facts struct {
	Title string
	Lines []Fact
	// Instead is whether the first screen has them instead of the tables.
	Instead bool
}

// A Block is the output of a measurement: its tables, and the sentences below them.
type Block struct {
	// Title is shown if no table has rows, because then no table shows its own title.
	Title string
	Grids []Grid
	// Facts are shown beneath the tables.
	Facts Facts
	// Faults are sentences that the reader must not miss.
	Faults []string
	Notes  []string
	// Verdict is the summary in one sentence.
	Verdict string
	// Level is the level of the faults and of the verdict.
	Level Level
	// Missing are the figures that could not be measured, with the reasons. A report has them at its end, under one
	// title for all blocks.
	Missing []Fact
}

// HasRows reports whether any table has rows.
func (b Block) HasRows() bool {
	return slices.ContainsFunc(b.Grids, func(g Grid) bool { return len(g.Rows) > 0 })
}

// Text returns the block as text, within a width in columns. If whole is true, its tables have all their columns, and
// may be wider.
func (b Block) Text(width int, whole bool) string {
	within := width
	if whole {
		within = math.MaxInt
	}
	var parts []string
	if !b.HasRows() && b.Title != "" {
		parts = append(parts, Indented(b.Title, 0, width))
	}
	for _, g := range b.Grids {
		if len(g.Rows) > 0 {
			parts = append(parts, g.Text(within))
		}
	}
	if len(b.Facts.Lines) > 0 {
		parts = append(parts, b.Facts.Text(width))
	}
	for _, of := range []struct {
		level Level
		lines []string
	}{{b.Level, b.Faults}, {0, b.Notes}, {b.Level, words.Present(b.Verdict)}} {
		var out strings.Builder
		for _, line := range of.lines {
			out.WriteString(of.level.Paint(Indented(line, 0, width)))
		}
		parts = append(parts, words.Present(out.String())...)
	}
	return strings.Join(parts, "\n")
}

// Split returns the block with the tables that [Grid.Split] makes of its tables.
func (b Block) Split(width int) Block {
	var grids []Grid
	for _, g := range b.Grids {
		grids = append(grids, g.Split(width)...)
	}
	b.Grids = grids
	return b
}

// Text returns the facts as text, within a width in columns, below their title.
func (f Facts) Text(width int) string {
	var out strings.Builder
	if f.Title != "" {
		out.WriteString(f.Title + "\n\n")
	}
	WriteFacts(&out, f.Lines, 0, width)
	return out.String()
}

// Brief returns the lines of the facts below their title, each cut to the width; none without facts.
func (f Facts) Brief(width int) []string {
	if len(f.Lines) == 0 {
		return nil
	}
	var lines []string
	if f.Title != "" {
		lines = []string{"\n" + f.Title + "\n"}
	}
	widest := 0
	for _, fact := range f.Lines {
		widest = max(widest, min(text.StringWidth(fact.Name), width*2/5))
	}
	for _, fact := range f.Lines {
		lines = append(lines, Cut(text.Pad(fact.Name, widest, ' ')+"  "+fact.Value, width, 1)+"\n")
	}
	return lines
}

// WriteMarkdown writes the block as Markdown.
func (b Block) WriteMarkdown(out *strings.Builder) {
	if !b.HasRows() && b.Title != "" {
		out.WriteString("\n### " + Escape(b.Title) + "\n")
	}
	for _, g := range b.Grids {
		g.WriteMarkdown(out)
	}
	if len(b.Facts.Lines) > 0 {
		if b.Facts.Title != "" {
			out.WriteString("\n### " + Escape(b.Facts.Title) + "\n")
		}
		out.WriteString("\n")
		for _, f := range b.Facts.Lines {
			out.WriteString("- **" + Escape(f.Name) + "**: " + Escape(f.Value) + "\n")
		}
	}
	for _, lines := range [][]string{b.Faults, b.Notes} {
		if len(lines) > 0 {
			out.WriteString("\n")
		}
		for _, line := range lines {
			out.WriteString("- " + Escape(line) + "\n")
		}
	}
	if b.Verdict != "" {
		out.WriteString("\n**" + Escape(b.Verdict) + "**\n")
	}
}
