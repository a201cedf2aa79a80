package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
)

// A Report is the content of a document, a diagnosis, a diff or a fleet for people. Text, Markdown and a page show its
// parts in the order of the fields.
type Report struct {
	// title is the command, and subtitle the machine and the time, for a page.
	title, subtitle string
	// answer is the main result, in one sentence. details are the next paragraphs; the last may be left out.
	answer  string
	details []string
	level   table.Level // of the answer
	// unchecked are the questions that doctor did not check, and the reasons.
	unchecked []result.NotChecked
	// findings are explained here if explained is true. Otherwise each has a line, and is explained at the end if the
	// format can fold it.
	findings  []result.Finding
	explained bool
	// blocks are left out of the shorter texts of a report that explains its findings. If titled is true, the first screen
	// names the block of each verdict.
	blocks   []table.Block
	titled   bool
	missing  table.Facts
	pictures func() []drawing // for a page only: it takes most of the time of a report
	warnings []result.Warning
	facts    table.Facts
	// brief has the facts that text shows; without lines, text shows all facts.
	brief table.Facts
	log   *result.KernelLog
	// document is in the page, so that timebench can load it; nil to leave it out.
	document *result.Document
}

// A drawing is a picture of a page.
type drawing struct {
	name string
	draw func(w io.Writer, width vg.Length) error
}

func drawings[T any](charts []picture.Chart[T], of T) func() []drawing {
	return func() (all []drawing) {
		for _, c := range charts {
			if c.Drawable(of) {
				all = append(all, drawing{c.Name, func(w io.Writer, width vg.Length) error { return c.SVG(w, of, width) }})
			}
		}
		return all
	}
}

// OfDocument returns the report of a document.
func OfDocument(d *result.Document) Report {
	r := ofMachine(d)
	r.title = "timebench " + strings.Join(sections.Commands(d), ", ")
	r.blocks, r.missing.Lines = blocks(d)
	r.missing.Title = "Not available here"
	r.pictures = drawings(sections.Pictures(), d)
	if len(r.blocks) > 0 { // a measurement says what it found
		first := &r.blocks[0]
		r.answer, r.level, first.Verdict = first.Verdict, first.Level, ""
	}
	if answer, level := diagnose.Answer(d); answer != "" && diagnose.Measured(d) {
		r.answer, r.level, r.details = answer, level, words.Present(diagnose.Published(d))
	}
	r.answer = untilThen(d, r.answer)
	return r
}

// untilThen returns the answer of a document, and says whether the run was interrupted.
func untilThen(d *result.Document, answer string) string {
	if d.Interrupted {
		return "Interrupted; up to then: " + cmp.Or(answer, "nothing was measured.")
	}
	return answer
}

// OfDiagnosis returns the report of the findings of a document.
func OfDiagnosis(d *result.Document) Report {
	r := ofMachine(d)
	r.title, r.explained = "timebench doctor", true
	if r.answer, r.level = diagnose.Answer(d); r.answer == "" { // the answer of what was measured instead
		measured, _ := blocks(d)
		if i := slices.IndexFunc(measured, table.Block.HasRows); i >= 0 && !diagnose.Measured(d) {
			r.answer, r.level = measured[i].Verdict, measured[i].Level
		}
	}
	r.answer = untilThen(d, r.answer)
	published, healthy := diagnose.Published(d), ""
	if worst(d.Findings) == nil {
		healthy = diagnose.Healthy(d)
	}
	r.details = words.Present(strings.Join(words.Present(published, healthy), " "))
	for _, kind := range sections.All { // what no command of its own measures
		if s, ok := d.Section(kind.Key()).(section.Section); ok && kind.Command == "" {
			block := s.Block(d)
			r.details, block.Verdict = append(r.details, words.Present(block.Verdict)...), ""
			r.blocks = append(r.blocks, block)
		}
	}
	r.pictures = drawings(sections.Pictures(), d)
	return r
}

// ofMachine returns the common parts of all reports of a document.
func ofMachine(d *result.Document) Report {
	subtitle := headline(d) + ", " + d.GeneratedAt.UTC().Format("2006-01-02 15:04 UTC")
	return Report{
		subtitle: subtitle, brief: table.Facts{Title: "The machine (-v: all facts, columns and advice)",
			Lines: briefFacts(d, subtitle)},
		unchecked: diagnose.Unchecked(d), findings: d.Findings, warnings: warnings(d),
		facts: table.Facts{Title: "The machine", Lines: facts(d)}, log: d.Host.KernelLog, document: d,
	}
}

// OfDiff returns the report of a diff.
func OfDiff(d *diff.Diff) Report {
	r := Report{title: "timebench diff", pictures: drawings(diff.Pictures, d),
		facts: table.Facts{Title: "The runs", Lines: sideFacts(d)}}
	r.answer, r.level = diffAnswer(d)
	r.blocks = []table.Block{{Title: sameSetup}}
	if lines := setupFacts(d); len(lines) > 0 {
		r.blocks = []table.Block{{Facts: table.Facts{Title: "Differences between the runs", Lines: lines}}}
	}
	for _, of := range d.Sections {
		r.blocks = append(r.blocks, of.Block)
		r.missing.Lines = append(r.missing.Lines, of.Block.Missing...)
	}
	r.missing.Title, r.titled = "In one of them only", true
	return r
}

// diffAnswer returns how many figures changed, and which are slower, in one sentence, and its level.
func diffAnswer(d *diff.Diff) (answer string, level table.Level) {
	all, changed := d.Count()
	if all == 0 {
		return "The two results have no figure in common.", 0
	}
	slower, faster, unjudged := d.Judged()
	var parts []string
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d "+text, n))
		}
	}
	of := "of " + words.Plural(all, "figure")
	switch {
	case len(slower) > 0:
		level = table.Error
		add(len(slower), of+words.Are(len(slower))+" slower: "+some(slower))
		add(len(faster), "faster")
	case len(faster) > 0:
		level = table.OK
		add(len(faster), of+words.Are(len(faster))+" faster: "+some(faster))
	case changed > 0:
		parts = append(parts, fmt.Sprintf("%d %s changed", changed, of))
	default:
		text := "Nothing changed in " + words.Plural(all, "figure")
		level = table.OK
		switch n := len(unjudged); {
		case n == all:
			text, level = "None of "+words.Plural(all, "figure")+" could be judged", table.Warn
		case n > 0:
			text = fmt.Sprintf("%d of %s could not be judged, and nothing changed in the other %d", n,
				words.Plural(all, "figure"), all-n)
			level = table.Warn
		}
		unjudged = nil
		if len(d.Setup) > 0 {
			level, text = 0, text+butSetup(d.Setup)
		}
		parts = append(parts, text)
	}
	if len(slower)+len(faster) > 0 {
		add(changed-len(slower)-len(faster), "changed in other measurements")
	}
	add(len(unjudged), "could not be judged")
	return strings.Join(parts, "; ") + ".", level
}

// butSetup names the first of the differences between the machines, tools and settings, the most likely cause.
func butSetup(differences []diff.Difference) string {
	first := differences[0]
	text := fmt.Sprintf(", but the runs differ: %s %s → %s", first.What, orDash(first.Old), orDash(first.New))
	if more := len(differences) - 1; more > 0 {
		text += fmt.Sprintf(" (%d more)", more)
	}
	return text
}

// some returns the first of many names, as in a sentence.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return words.List(names)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// OfFleet returns the report of a fleet.
func OfFleet(f *fleet.Fleet) Report {
	return Report{title: "timebench fleet", answer: f.Verdict(), blocks: f.Blocks(), pictures: drawings(fleet.Pictures, f)}
}

// warnings returns the warnings, first the interruption of the run.
func warnings(d *result.Document) []result.Warning {
	if d.Interrupted {
		return append([]result.Warning{{Saw: "the run was interrupted; only complete measurements are shown"}},
			d.Warnings...)
	}
	return d.Warnings
}

// sentences returns a warning: the event, its possible effects, and the remedy.
func sentences(w result.Warning) string {
	var all []string
	for _, part := range []struct{ before, text string }{
		{"", w.Saw}, {"It may have affected ", w.Spoilt}, {"What to do: ", w.Advice},
	} {
		if part.text != "" {
			all = append(all, part.before+part.text+".")
		}
	}
	return strings.Join(all, " ")
}

func headline(d *result.Document) string {
	var source string
	if d.Host.ClockSource != nil {
		source = "clock source " + d.Host.ClockSource.Current
	}
	return strings.Join(words.Present(strings.TrimSpace(d.Host.OS+"/"+d.Host.Arch+" "+d.Host.Kernel), d.Host.CPU.Model,
		source), ", ")
}

// as returns the writer of a format for values that a report is made of.
func as[T any](write func(Report, io.Writer) error, of func(T) Report) func(io.Writer, T) error {
	return func(w io.Writer, d T) error { return write(of(d), w) }
}

// plainMarkdown writes a report without files of pictures.
func plainMarkdown(r Report, w io.Writer) error { return r.Markdown(w, nil) }

// blocks returns the blocks of the sections of a document, and the figures that could not be measured in any of them.
func blocks(d *result.Document) (all []table.Block, missing []table.Fact) {
	for _, s := range section.In(d) {
		block := s.Block(d)
		all, missing = append(all, block), append(missing, block.Missing...)
	}
	return all, missing
}

func (p *page) block(of table.Block) {
	if !of.HasRows() && of.Title != "" {
		p.element("h2", "", of.Title)
	}
	for _, g := range of.Grids {
		p.grid(g)
	}
	p.facts(of.Facts)
	for _, line := range of.Faults {
		p.element("p", "warning error", line)
	}
	for _, line := range of.Notes {
		p.element("p", "note", line)
	}
	if of.Verdict != "" {
		p.element("p", "", of.Verdict)
	}
}
