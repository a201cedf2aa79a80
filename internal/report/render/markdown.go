package render

import (
	"html"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
)

// Markdown writes a report for a bug tracker. pictures are the relative paths of its pictures, with forward
// slashes.
func (r Report) Markdown(w io.Writer, pictures []string) error {
	var m markdown
	r.pictures = func() []drawing { return nil }
	r.write(&m)
	if len(pictures) > 0 { // not embedded: in an issue, a link to a local file is a broken picture
		m.out.WriteString("\nPictures, beside this file: `" + strings.Join(pictures, "`, `") + "`\n")
	}
	_, err := io.WriteString(w, m.out.String())
	return err
}

// A markdown is a report in Markdown under construction.
type markdown struct {
	out strings.Builder
	// listing is whether the last part is an item of a list.
	listing bool
}

// add adds a part below an empty line.
func (m *markdown) add(text string) {
	m.out.WriteString("\n" + text + "\n")
	m.listing = false
}

func (m *markdown) begin(title, subtitle string) {
	m.out.WriteString("## " + title + "\n")
	if subtitle != "" {
		m.add(table.Escape(subtitle))
	}
}

func (m *markdown) text(class, label, text string) {
	text = table.Escape(text)
	switch own, _, _ := strings.Cut(class, " "); {
	case label != "":
		text = "**" + label + ":** " + text
	case own == "answer" || own == "verdict":
		text = "**" + text + "**"
	}
	m.add(text)
}

func (m *markdown) warning(w result.Warning) { m.add("> **Warning:** " + table.Escape(sentences(w))) }

func (m *markdown) list(items func()) { items() }

func (m *markdown) item(_, text string) { m.line(table.Escape(text)) }

func (m *markdown) line(text string) {
	if !m.listing {
		m.out.WriteString("\n")
	}
	m.out.WriteString("- " + text + "\n")
	m.listing = true
}

func (m *markdown) link(address string) {
	if leadsOut(address) {
		m.line("<" + address + ">")
	} else {
		m.item("", address)
	}
}

func (m *markdown) heading(text string) { m.add("### " + table.Escape(text)) }

func (m *markdown) finding(_, title string) { m.heading(title) }

// fold writes its title as HTML, in which Markdown has no meaning.
func (m *markdown) fold(title string) {
	m.add("<details>\n<summary>" + table.Unmentioned(html.EscapeString(title)) + "</summary>")
}

func (m *markdown) end(element string) {
	if element == "details" {
		m.add("</details>")
	}
}

func (m *markdown) table(g table.Grid) { m.add(g.Markdown()) }

func (m *markdown) facts(lines []table.Fact) {
	m.listing = false
	for _, f := range lines {
		m.line("**" + table.Escape(f.Name) + "**: " + table.Escape(f.Value))
	}
}

// code writes lines without fences in them, which would close the block.
func (m *markdown) code(language string, lines []string) {
	m.add("```" + language + "\n" + strings.ReplaceAll(strings.Join(lines, "\n"), "```", "'''") + "\n```")
}

func (m *markdown) picture(drawing) {}
