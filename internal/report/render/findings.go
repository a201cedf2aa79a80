package render

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// DoctorFormats are the formats of a diagnosis, the default first.
var DoctorFormats = []Format[*result.Document]{
	{Name: "table", Write: as(Report.Text, OfDiagnosis), Whole: as(Report.Whole, OfDiagnosis)},
	{Name: "markdown", Write: as(plainMarkdown, OfDiagnosis)},
	{Name: "csv", Write: DoctorCSV},
	{Name: "html", Write: as(Report.HTML, OfDiagnosis)},
	{Name: "json", Write: func(w io.Writer, d *result.Document) error { return d.Write(w) }},
	{Name: "prometheus", Write: DoctorPrometheus},
	{Name: "nagios", Write: Nagios,
		Check: &Check{Error: 2, Refuse: nagiosUnknown}},
	{Name: "line", Write: Line,
		Check: &Check{Error: 1}},
}

// shell returns a command as a reader types it, or a remark between commands.
func shell(command string) string {
	if remark, ok := strings.CutPrefix(command, "# "); ok {
		return remark
	}
	return "$ " + command
}

func findingFacts(f result.Finding) []table.Fact {
	var all []table.Fact
	add := func(name string, values ...string) {
		for i, value := range values {
			if i > 0 {
				name = ""
			}
			if value != "" {
				all = append(all, table.Fact{Name: name, Value: value})
			}
		}
	}
	add("Evidence", f.Evidence...)
	add("Cause", f.Cause)
	for _, r := range f.Remedies {
		add("Remedy", words.Sentence(r.Advice))
		for _, command := range r.Commands {
			add("", shell(command))
		}
		add("Risk", r.Risk)
	}
	add("See", f.Links...)
	return all
}

// DoctorCSV writes a line for each finding, and a line for each question that was not checked, whose cause is the
// reason. Several texts in a cell are on lines of their own.
func DoctorCSV(w io.Writer, d *result.Document) error {
	lines := [][]string{{"severity", "kind", "title", "evidence", "cause", "advice", "commands", "risk", "links"}}
	for _, f := range d.Findings {
		var advice, commands, risks []string
		for _, r := range f.Remedies {
			advice, commands = append(advice, r.Advice), append(commands, r.Commands...)
			risks = append(risks, words.Present(r.Risk)...)
		}
		line := []string{f.Severity, f.Kind, f.Title}
		for _, texts := range [][]string{f.Evidence, {f.Cause}, advice, commands, risks, f.Links} {
			line = append(line, strings.Join(texts, "\n"))
		}
		lines = append(lines, line)
	}
	for _, n := range d.NotChecked {
		lines = append(lines, []string{"", "not-checked", n.What, "", n.Why, "", "", "", ""})
	}
	return table.WriteCSV(w, lines)
}

func logTitle(log *result.KernelLog) string {
	switch {
	case log.Reason != "":
		return "Kernel log: " + log.Reason
	case len(log.Lines) == 0:
		return "Kernel log: no lines about clocks"
	}
	text := "Kernel log: " + words.Plural(len(log.Lines), "line") + " about clocks, from " + cmp.Or(log.Source,
		"an unknown source")
	if log.Truncated {
		text += "; the lines since boot are incomplete"
	}
	return text
}

func (p *page) findings(r Report) {
	if len(r.findings) == 0 {
		return
	}
	if !r.explained {
		p.out.WriteString("<ul>\n")
		for _, f := range r.findings {
			p.element("li", classes("", levels[f.Severity]), f.Severity+": "+f.Title)
		}
		p.out.WriteString("</ul>\n<details>\n")
		p.element("summary", "", "Evidence, causes and remedies")
		defer p.out.WriteString("</details>\n")
	}
	for _, f := range r.findings {
		p.finding(f)
	}
}

func (p *page) finding(f result.Finding) {
	fmt.Fprintf(&p.out, "<section class=%q>\n", classes("finding", levels[f.Severity]))
	p.element("h3", "", f.Severity+": "+f.Title)
	p.out.WriteString("<ul>\n")
	for _, seen := range f.Evidence {
		p.element("li", "", seen)
	}
	p.out.WriteString("</ul>\n")
	if f.Cause != "" {
		p.element("p", "", "Cause: "+f.Cause)
	}
	for _, r := range f.Remedies {
		p.element("p", "", "Remedy: "+words.Sentence(r.Advice))
		if len(r.Commands) > 0 {
			p.element("pre", "", strings.Join(r.Commands, "\n"))
		}
		if r.Risk != "" {
			p.element("p", "note", "Risk: "+r.Risk)
		}
	}
	for _, link := range f.Links {
		p.link(link)
	}
	p.out.WriteString("</section>\n")
}

// link writes a link; plain text if the address is not a web address.
func (p *page) link(address string) {
	if !leadsOut(address) {
		p.element("p", "note", address)
		return
	}
	safe := html.EscapeString(address)
	fmt.Fprintf(&p.out, "<p class=\"note\"><a href=\"%s\" rel=\"noreferrer\">%s</a></p>\n", safe, safe)
}

// leadsOut reports whether a text can be a link: a web address without characters that close a
// link.
func leadsOut(address string) bool {
	return strings.HasPrefix(address, "https://") && !strings.ContainsFunc(address, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`<>"'`, r)
	})
}

func (p *page) log(log *result.KernelLog) {
	if log == nil {
		return
	}
	if len(log.Lines) == 0 {
		p.element("p", "note", logTitle(log))
		return
	}
	p.out.WriteString("<details>\n")
	p.element("summary", "", logTitle(log))
	p.element("pre", "", strings.Join(log.Lines, "\n"))
	p.out.WriteString("</details>\n")
}
