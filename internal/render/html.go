package render

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// The style and the script of every page, which contains them. Its content security policy
// allows no other script and no requests.
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

// HTML writes the document as one self-contained page: sortable tables, pictures as SVG, and the
// document itself, so that timebench can load the page.
func HTML(w io.Writer, document *result.Document) error {
	var p page
	d := cleaned(document)
	p.begin(heading(d)+": "+headline(d), heading(d), headline(d)+", "+d.GeneratedAt.UTC().Format("2006-01-02 15:04 UTC"))
	for _, warning := range warnings(d) {
		p.element("p", "warning", "Warning: "+warning)
	}
	p.facts("", facts(d))
	p.findings(d)
	all, missing := blocks(d)
	for _, b := range all {
		p.block(b)
	}
	if len(missing) > 0 {
		p.facts(missingTitle, missing)
	}
	p.log(d.Host.KernelLog)
	p.element("p", "note", "The whole document is in this page: `timebench render` turns it into any format, `timebench diff` compares it with another.")
	for _, c := range sections.Pictures() {
		if c.Drawable(d) {
			p.picture(c.Name, func(w io.Writer) error { return c.SVG(w, d) })
		}
	}
	if p.err == nil {
		p.err = document.WriteScript(&p.out)
	}
	return p.end(w)
}

// DoctorHTML writes the findings of a document as one self-contained page, with the document
// in it.
func DoctorHTML(w io.Writer, document *result.Document) error {
	var p page
	d := cleaned(document)
	p.begin("timebench doctor: "+headline(d), "timebench doctor", headline(d)+", "+d.GeneratedAt.UTC().Format("2006-01-02 15:04 UTC"))
	if !serious(d) {
		p.element("p", "", diagnose.Healthy(d))
	}
	p.findings(d)
	for _, warning := range warnings(d) {
		p.element("p", "warning", "Warning: "+warning)
	}
	p.facts("The machine", facts(d))
	p.log(d.Host.KernelLog)
	p.element("p", "note", "The whole document is in this page: `timebench render` turns it into any format, `timebench diff` compares it with another.")
	if p.err == nil {
		p.err = document.WriteScript(&p.out)
	}
	return p.end(w)
}

// DiffHTML writes a diff as one self-contained page.
func DiffHTML(w io.Writer, d *diff.Diff) error {
	d = cleaned(d)
	var p page
	p.begin("timebench diff", "timebench diff", diffSummary(d))
	p.facts("", sideFacts(d))
	if len(d.Setup) == 0 {
		p.element("p", "", sameSetup)
	}
	p.grid(setupGrid(d))
	for _, of := range d.Sections {
		p.block(of.Block)
		if len(of.Block.Missing) > 0 {
			p.facts("In one of them only", of.Block.Missing)
		}
	}
	for _, c := range diff.Pictures {
		if c.Drawable(d) {
			p.picture(c.Name, func(w io.Writer) error { return c.SVG(w, d) })
		}
	}
	return p.end(w)
}

// headline returns the machine in one line.
func headline(d *result.Document) string {
	return strings.Join(words.Present(strings.TrimSpace(d.Host.OS+"/"+d.Host.Arch+" "+d.Host.Kernel), d.Host.CPU.Model, source(d.Host.ClockSource)), ", ")
}

// A page is an HTML page under construction. It escapes all text, because a document may be of
// any origin.
type page struct {
	out strings.Builder
	err error
}

func (p *page) begin(title, heading, subtitle string) {
	p.out.WriteString(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '` + scriptHash + `'; form-action 'none'; base-uri 'none'">
<title>` + html.EscapeString(title) + "</title>\n<style>\n" + pageCSS + "</style>\n</head>\n<body>\n<main>\n")
	p.element("h1", "", heading)
	p.element("p", "subtitle", subtitle)
}

// element writes an element with a text.
func (p *page) element(name, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(&p.out, "<%s%s>%s</%s>\n", name, class, html.EscapeString(text), name)
}

func (p *page) facts(title string, lines []table.Fact) {
	if title != "" {
		p.element("h2", "", title)
	}
	p.out.WriteString("<dl>\n")
	for _, line := range lines {
		p.out.WriteString("<div>")
		p.element("dt", "", line.Name)
		p.element("dd", "", line.Value)
		p.out.WriteString("</div>\n")
	}
	p.out.WriteString("</dl>\n")
}

func (p *page) grid(g table.Grid) {
	if g.OnPage != nil {
		g = *g.OnPage
	}
	if len(g.Rows) == 0 {
		return
	}
	g = g.AtMost(table.PageColumns)
	p.element("h2", "", g.Title)
	p.out.WriteString("<div class=\"wide\">\n" + g.HTML() + "\n</div>\n")
	if g.Note != "" {
		p.element("p", "note", g.Note)
	}
}

func (p *page) picture(name string, draw func(io.Writer) error) {
	if p.err != nil {
		return
	}
	fmt.Fprintf(&p.out, "<figure id=%q>\n", name)
	var drawn strings.Builder
	p.err = draw(&drawn)
	p.out.WriteString(drawn.String())
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
