package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/terminal"
)

// Text writes a report as text, without its pictures: the first screen to a terminal; elsewhere all tables, with facts
// and warnings shortened, and without columns that do not fit.
func (r Report) Text(w io.Writer) error { return r.text(w, false) }

// Whole writes a report as text, with the parts that Text shortens. Its tables may be wider than the output; in a
// terminal, they are split. It repeats the answer that has scrolled out of a terminal.
func (r Report) Whole(w io.Writer) error { return r.text(w, true) }

func (r Report) text(w io.Writer, whole bool) error {
	width, height := terminal.Width(w), terminal.Height(w)
	if height > 0 && !whole {
		return terminal.Show(w, r.first(width, height))
	}
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	begin := r.opens(width)
	for _, n := range r.unchecked {
		begin = append(begin, labelled(table.Warn, notChecked+words.Sentence(n.String()), width))
	}
	add(strings.Join(begin, ""))
	if r.explained {
		for _, f := range r.findings {
			add(explained(f, width))
		}
	} else {
		add(briefly(r.findings, width, whole))
	}
	for _, b := range r.blocks {
		if whole || !r.explained {
			if whole && height > 0 {
				add(b.Split(width).Text(width, false))
			} else {
				add(b.Text(width, whole))
			}
		}
	}
	if len(r.missing.Lines) > 0 {
		missing := r.missing
		if more := len(missing.Lines) - mostMissing; more > 0 && !whole {
			missing.Lines = append(missing.Lines[:mostMissing:mostMissing],
				table.Fact{Name: fmt.Sprintf("and %d more (-v)", more)})
		}
		add(missing.Text(width))
	}
	add(warned(r.warnings, width, whole))
	switch {
	case whole:
		add(r.facts.Text(width))
		add(logged(r.log, width))
	case !r.explained && len(r.brief.Lines) > 0:
		add(r.brief.Text(width))
	case !r.explained:
		add(r.facts.Text(width))
	}
	text := strings.Join(parts, "\n")
	if height > 0 && strings.Count(text, "\n") >= height && r.answer != "" { // it has scrolled away
		text += "\n" + r.level.Paint(table.Indented(r.answer, 0, width))
	}
	return terminal.Show(w, text)
}

func (r Report) opens(width int) []string {
	var all []string
	for _, answer := range words.Present(r.answer) {
		all = append(all, r.level.Paint(table.Indented(answer, 0, width)))
	}
	for _, paragraph := range r.details {
		all = append(all, table.Indented(paragraph, 0, width))
	}
	return all
}

// notChecked begins a sentence on unchecked questions.
const notChecked = "Not checked: "

// mostMissing is the max number of lines in text about figures that could not be measured.
const mostMissing = 10

// warned returns a line for each warning; a whole report has the full warnings.
func warned(warnings []result.Warning, width int, whole bool) string {
	var lines strings.Builder
	for i, warning := range warnings {
		text := warning.Saw + "."
		if whole {
			text = sentences(warning)
			if i > 0 {
				lines.WriteString("\n")
			}
		}
		lines.WriteString(labelled(table.Warn, "Warning: "+text, width))
	}
	return lines.String()
}

// logged returns the lines of the kernel log below their title; "" without any.
func logged(log *result.KernelLog, width int) string {
	if log == nil {
		return ""
	}
	var lines strings.Builder
	lines.WriteString(table.Indented(logTitle(log), 0, width))
	for i, line := range log.Lines {
		if i == 0 {
			lines.WriteString("\n")
		}
		lines.WriteString(table.Indented(line, 2, width))
	}
	return lines.String()
}

var levels = map[string]table.Level{result.Error: table.Error, result.Warn: table.Warn}

func titled(f result.Finding, width int) string {
	return labelled(levels[f.Severity], f.Severity+": "+f.Title, width)
}

// labelled returns a text within a width whose label, up to its colon, has the colour of a level.
func labelled(level table.Level, text string, width int) string {
	label, rest, _ := strings.Cut(table.Indented(text, 0, width), ":")
	return level.Paint(label+":") + rest
}

// briefly returns a line for each finding, and where they are explained; "" without findings. Only a whole report has
// notes.
func briefly(findings []result.Finding, width int, whole bool) string {
	var lines strings.Builder
	for _, f := range findings {
		if whole || f.Severity != result.Note {
			lines.WriteString(titled(f, width))
		}
	}
	if lines.Len() > 0 {
		lines.WriteString("`timebench doctor` explains causes and remedies.\n")
	}
	return lines.String()
}

func explained(f result.Finding, width int) string {
	var lines strings.Builder
	table.WriteFacts(&lines, findingFacts(f), 2, width)
	return titled(f, width) + "\n" + lines.String()
}

// Facts writes the facts of a host as text, as wide as the output.
func Facts(w io.Writer, h result.Host) error {
	var out strings.Builder
	table.WriteFacts(&out, hostFacts(h), 0, terminal.Width(w))
	_, err := io.WriteString(w, out.String())
	return err
}

// Table writes a sentence, and a table as wide as the output.
func Table(w io.Writer, sentence string, g table.Grid) error {
	_, err := io.WriteString(w, sentence+"\n\n"+g.Text(terminal.Width(w)))
	return err
}
