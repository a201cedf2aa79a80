package render

import (
	"cmp"
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
	r.write(&p)
	if r.document != nil {
		p.out.WriteString(`<p class="note">The whole document is in this page: <code>timebench render</code> turns it into ` +
			`any format, <code>timebench diff</code> compares it with another.</p>` + "\n")
		p.err = cmp.Or(p.err, r.document.WriteScript(&p.out))
	}
	if p.err != nil {
		return p.err
	}
	p.out.WriteString("</main>\n<script>" + pageJS + "</script>\n</body>\n</html>\n")
	_, err := io.WriteString(w, p.out.String())
	return err
}

// A page is an HTML page under construction. It escapes all text, because a document may be of
// any origin.
type page struct {
	out    strings.Builder
	err    error
	inList bool
}

func (p *page) begin(title, subtitle string) {
	p.out.WriteString(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '` + scriptHash + `'; form-action 'none'; base-uri 'none'">
<title>` + html.EscapeString(strings.Join(words.Present(title, subtitle), ": ")) + "</title>\n<style>\n" + pageCSS +
		"</style>\n</head>\n<body>\n<main>\n")
	p.element("h1", "", title)
	if subtitle != "" {
		p.element("p", "subtitle", subtitle)
	}
}

func (p *page) text(class, label, text string) {
	p.element("p", class, strings.Join(words.Present(label, text), ": "))
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
	p.end("details")
}

func (p *page) list(items func()) {
	p.out.WriteString("<ul>\n")
	p.inList = true
	items()
	p.inList = false
	p.end("ul")
}

func (p *page) item(class, text string) { p.element(words.Either(p.inList, "li", "p"), class, text) }

// link writes a link; plain text if the address is not a web address.
func (p *page) link(address string) {
	if !leadsOut(address) {
		p.element("p", "note", address)
		return
	}
	safe := html.EscapeString(address)
	fmt.Fprintf(&p.out, "<p class=\"note\"><a href=\"%s\" rel=\"noreferrer\">%s</a></p>\n", safe, safe)
}

func (p *page) heading(text string) { p.element("h2", "", text) }

func (p *page) finding(class, title string) {
	fmt.Fprintf(&p.out, "<section class=%q>\n", class)
	p.element("h3", "", title)
}

func (p *page) fold(title string) {
	p.out.WriteString("<details>\n")
	p.element("summary", "", title)
}

func (p *page) end(element string) { p.out.WriteString("</" + element + ">\n") }

func (p *page) element(name, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(&p.out, "<%s%s>%s</%s>\n", name, class, html.EscapeString(text), name)
}

func (p *page) facts(lines []table.Fact) {
	p.out.WriteString("<dl>\n")
	for _, line := range lines {
		p.out.WriteString("<div>")
		p.element("dt", "", line.Name)
		p.element("dd", "", line.Value)
		p.out.WriteString("</div>\n")
	}
	p.out.WriteString("</dl>\n")
}

// table writes a table that the keyboard can scroll.
func (p *page) table(g table.Grid) {
	p.out.WriteString(`<div class="wide" tabindex="0" role="region" aria-label="` + html.EscapeString(g.Title) + "\">\n" + g.HTML() + "\n</div>\n")
}

func (p *page) code(_ string, lines []string) { p.element("pre", "", strings.Join(lines, "\n")) }

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
