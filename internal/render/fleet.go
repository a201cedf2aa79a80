package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
)

// FleetFormats are the formats of a fleet, the default first.
var FleetFormats = []Format[*fleet.Fleet]{
	{"table", "for people, within 100 columns", FleetTable},
	{"markdown", "for a report", func(w io.Writer, f *fleet.Fleet) error { return FleetMarkdown(w, f, nil) }},
	{"csv", "a line for each machine, and for each of its clocks", FleetCSV},
	{"json", "all that was compared", FleetJSON},
	{"html", "one page with the picture", FleetHTML},
}

// FleetTable writes a fleet as text, within table.Width columns.
func FleetTable(w io.Writer, f *fleet.Fleet) error {
	f = cleaned(f)
	var out strings.Builder
	table.WriteFacts(&out, f.Facts())
	for _, b := range f.Blocks() {
		b.WriteText(&out)
	}
	out.WriteString("\n" + table.Indented(f.Verdict(), 0))
	return Show(w, out.String())
}

// FleetMarkdown writes a fleet for a report. pictures are as those of Markdown.
func FleetMarkdown(w io.Writer, f *fleet.Fleet, pictures []string) error {
	f = cleaned(f)
	var out strings.Builder
	out.WriteString("## timebench fleet\n\n")
	for _, fact := range f.Facts() {
		fmt.Fprintf(&out, "- **%s**: %s\n", table.Escape(fact.Name), table.Escape(fact.Value))
	}
	fmt.Fprintf(&out, "\n%s\n", table.Escape(f.Verdict()))
	for _, b := range f.Blocks() {
		b.WriteMarkdown(&out)
	}
	writeMarkdownPictures(&out, pictures)
	_, err := io.WriteString(w, out.String())
	return err
}

// FleetCSV writes the machines, their costs, and what could not be read, with empty lines between.
func FleetCSV(w io.Writer, f *fleet.Fleet) error { return table.WriteTables(w, f.Lines()) }

// FleetJSON writes the whole fleet.
func FleetJSON(w io.Writer, f *fleet.Fleet) error {
	text, err := f.JSON()
	if err != nil {
		return err
	}
	return result.WriteIndented(w, text)
}

// FleetHTML writes a fleet as one self-contained page.
func FleetHTML(w io.Writer, f *fleet.Fleet) error {
	f = cleaned(f)
	var p page
	p.begin("timebench fleet", "timebench fleet", f.Verdict())
	p.facts("", f.Facts())
	for _, b := range f.Blocks() {
		p.block(b)
	}
	for _, c := range fleet.Pictures {
		if c.Drawable(f) {
			p.picture(c.Name, func(w io.Writer) error { return c.SVG(w, f) })
		}
	}
	return p.end(w)
}
