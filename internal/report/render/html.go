package render

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
)

// The style and the script that every page contains. Its content security policy allows no other script and no
// requests.
var (
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// scriptHash is the hash of the only script that a page may run.
var scriptHash = func() string {
	hash := sha256.Sum256([]byte(pageJS))
	return "sha256-" + base64.StdEncoding.EncodeToString(hash[:])
}()

// HTML writes a report as one self-contained page: sortable tables, pictures as SVG, and the document
// itself, so that timebench can load the page.
func (r Report) HTML(w io.Writer) error {
	var p page
	p.begin(r)
	p.findings(r)
	pictures := r.pictures()
	first := min(1, len(pictures)) // the picture that answers; the others follow the tables
	for _, d := range pictures[:first] {
		p.picture(d)
	}
	for _, b := range r.blocks {
		p.block(b)
	}
	p.facts(r.missing)
	for _, d := range pictures[first:] {
		p.picture(d)
	}
	if r.document == nil {
		p.facts(r.facts)
		return p.end(w)
	}
	p.out.WriteString("<details>\n")
	p.element("summary", "", r.facts.Title)
	p.facts(table.Facts{Lines: r.facts.Lines})
	p.out.WriteString("</details>\n")
	p.log(r.log)
	p.out.WriteString(`<p class="note">The whole document is in this page: <code>timebench render</code> turns it into ` +
		`any format, <code>timebench diff</code> compares it with another.</p>` + "\n")
	if p.err == nil {
		p.err = r.document.WriteScript(&p.out)
	}
	return p.end(w)
}

// A page is an HTML page under construction. It escapes all text, because a document may be of
// any origin.
type page struct {
	out strings.Builder
	err error
}

func (p *page) begin(r Report) {
	title := strings.Join(words.Present(r.title, r.subtitle), ": ")
	p.out.WriteString(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '` + scriptHash + `'; form-action 'none'; base-uri 'none'">
<title>` + html.EscapeString(title) + "</title>\n<style>\n" + pageCSS + "</style>\n</head>\n<body>\n<main>\n")
	p.element("h1", "", r.title)
	if r.subtitle != "" {
		p.element("p", "subtitle", r.subtitle)
	}
	if r.answer != "" {
		p.element("p", classes("answer", r.level), r.answer)
	}
	for _, paragraph := range r.details {
		p.element("p", "", paragraph)
	}
	for _, n := range r.unchecked {
		p.element("p", "warning", notChecked+words.Sentence(n.String()))
	}
	for _, warning := range r.warnings {
		p.warning(warning)
	}
}

// classes returns the classes of an element: its own, and the class "error" for an error.
func classes(own string, level table.Level) string {
	if level == table.Error {
		own = strings.TrimSpace(own + " error")
	}
	return own
}

// warning writes what was seen, with what it means and what to do folded.
func (p *page) warning(w result.Warning) {
	saw, more := "Warning: "+w.Saw+".", sentences(result.Warning{Spoilt: w.Spoilt, Advice: w.Advice})
	if more == "" {
		p.element("p", "warning", saw)
		return
	}
	p.out.WriteString("<details class=\"warning\">\n")
	p.element("summary", "", saw)
	p.element("p", "", more)
	p.out.WriteString("</details>\n")
}

func (p *page) element(name, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(&p.out, "<%s%s>%s</%s>\n", name, class, html.EscapeString(text), name)
}

func (p *page) facts(of table.Facts) {
	if len(of.Lines) == 0 {
		return
	}
	if of.Title != "" {
		p.element("h2", "", of.Title)
	}
	p.out.WriteString("<dl>\n")
	for _, line := range of.Lines {
		p.out.WriteString("<div>")
		p.element("dt", "", line.Name)
		p.element("dd", "", line.Value)
		p.out.WriteString("</div>\n")
	}
	p.out.WriteString("</dl>\n")
}

func (p *page) grid(g table.Grid) {
	if len(g.Rows) == 0 {
		return
	}
	p.element("h2", "", g.Title)
	// Focusable, for keyboard scrolling.
	p.out.WriteString(`<div class="wide" tabindex="0" role="region" aria-label="` + html.EscapeString(g.Title) + "\">\n" + g.HTML() + "\n</div>\n")
	if note := g.Below(); note != "" {
		p.element("p", "note", note)
	}
}

// picture writes a picture twice: for a wide screen and for a narrow one. The style shows one of them.
func (p *page) picture(of drawing) {
	fmt.Fprintf(&p.out, "<figure id=%q>\n", of.name)
	for _, width := range []vg.Length{picture.Width, picture.NarrowWidth} {
		if p.err == nil {
			p.err = of.draw(&p.out, width)
		}
	}
	p.out.WriteString("</figure>\n")
}

func (p *page) end(w io.Writer) error {
	if p.err != nil {
		return p.err
	}
	p.out.WriteString("</main>\n<script>" + pageJS + "</script>\n</body>\n</html>\n")
	_, err := io.WriteString(w, p.out.String())
	return err
}
