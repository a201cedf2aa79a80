package render

import (
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A markup writes the parts of a report, and escapes their texts. A class is the class of an element of a page.
type markup interface {
	begin(title, subtitle string)
	// text writes a paragraph behind its label; "" for none.
	text(class, label, text string)
	warning(w result.Warning)
	// list calls items, which writes the items of a list. An item without a list is a line of its own.
	list(items func())
	item(class, text string)
	link(address string)
	heading(text string)
	// finding begins the section of a finding, and fold a part that is collapsed. end ends the element.
	finding(class, title string)
	fold(title string)
	end(element string)
	table(g table.Grid)
	facts(lines []table.Fact)
	code(language string, lines []string)
	picture(of drawing)
}

// write writes a report in a markup.
func (r Report) write(m markup) {
	m.begin(r.title, r.subtitle)
	if r.answer != "" {
		m.text(classes("answer", r.level), "", r.answer)
	}
	for _, paragraph := range r.details {
		m.text("", "", paragraph)
	}
	for _, n := range r.unchecked {
		m.text("warning", notChecked, words.Sentence(n.String()))
	}
	for _, w := range r.warnings {
		m.warning(w)
	}
	r.writeFindings(m)
	pictures := r.pictures()
	first := min(1, len(pictures)) // the picture that answers; the others follow the tables
	for _, d := range pictures[:first] {
		m.picture(d)
	}
	for _, b := range r.blocks {
		writeBlock(m, b)
	}
	writeFacts(m, r.missing)
	for _, d := range pictures[first:] {
		m.picture(d)
	}
	if r.document == nil {
		writeFacts(m, r.facts)
		return
	}
	m.fold(r.facts.Title)
	m.facts(r.facts.Lines)
	m.end("details")
	switch log := r.log; {
	case log == nil:
	case len(log.Lines) == 0:
		m.text("note", "", logTitle(log))
	default:
		m.fold(logTitle(log))
		m.code("text", log.Lines)
		m.end("details")
	}
}

// classes returns the classes of an element: its own, and the class "error" for an error.
func classes(own string, level table.Level) string {
	if level == table.Error {
		own = strings.TrimSpace(own + " error")
	}
	return own
}

func (r Report) writeFindings(m markup) {
	if !r.explained && len(r.findings) > 0 {
		m.list(func() {
			for _, f := range r.findings {
				m.item(classes("", levels[f.Severity]), f.Severity+": "+f.Title)
			}
		})
		m.fold("Evidence, causes and remedies")
		defer m.end("details")
	}
	for _, f := range r.findings {
		m.finding(classes("finding", levels[f.Severity]), f.Severity+": "+f.Title)
		m.list(func() {
			for _, seen := range f.Evidence {
				m.item("", seen)
			}
		})
		if f.Cause != "" {
			m.text("", "Cause", f.Cause)
		}
		for _, remedy := range f.Remedies {
			m.text("", "Remedy", words.Sentence(remedy.Advice))
			if len(remedy.Commands) > 0 {
				m.code("sh", remedy.Commands)
			}
			if remedy.Risk != "" {
				m.text("note", "Risk", remedy.Risk)
			}
		}
		for _, address := range f.Links {
			m.link(address)
		}
		m.end("section")
	}
}

func writeBlock(m markup, b table.Block) {
	if !b.HasRows() && b.Title != "" {
		m.heading(b.Title)
	}
	for _, g := range b.Grids {
		if len(g.Rows) == 0 {
			continue
		}
		m.heading(g.Title)
		m.table(g)
		if note := g.Below(); note != "" {
			m.text("note", "", note)
		}
	}
	writeFacts(m, b.Facts)
	for _, line := range b.Faults {
		m.item("warning error", line)
	}
	for _, line := range b.Notes {
		m.item("note", line)
	}
	if b.Verdict != "" {
		m.text("verdict", "", b.Verdict)
	}
}

func writeFacts(m markup, of table.Facts) {
	if len(of.Lines) == 0 {
		return
	}
	if of.Title != "" {
		m.heading(of.Title)
	}
	m.facts(of.Lines)
}
