package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The first screen is what a terminal shows without -v: 24 lines with the prompt below, or fewer on a lower terminal.
// fewestRows is the number of rows of its table from which on less important pieces are left out first, and fewestOfTwo
// of each of two tables.
const screenLines, fewestRows, fewestOfTwo = 23, 7, 4

// lastLine is below a blank line, and names what is left out.
const lastLine = "\n%s\n"

// openQuestion is the noun of what doctor did not check.
const openQuestion = "open question"

// A piece is a part of the first screen. spare is the order in which pieces are left out if there is no room: the
// largest first, 0 never. noun is its name in the last line, which counts the parts that are left out; empty for a part
// that the last line does not count. number is how many parts it stands for.
type piece struct {
	text   string
	spare  int
	noun   string
	number int
}

// An opening is the pieces of the first screen, from top to bottom, and the numbers of parts that it leaves out, by
// their nouns.
type opening struct {
	width  int
	titled bool
	pieces []piece
	nouns  []string
	hidden map[string]int
}

func (s *opening) add(spare int, text, noun string) {
	if text != "" {
		s.pieces = append(s.pieces, piece{text, spare, noun, 1})
	}
}

// hide counts parts that it leaves out.
func (s *opening) hide(n int, noun string) {
	if n <= 0 || noun == "" {
		return
	}
	if !slices.Contains(s.nouns, noun) {
		s.nouns = append(s.nouns, noun)
	}
	s.hidden[noun] += n
}

// lines returns the number of lines, with those about what is left out.
func (s *opening) lines() int {
	n := strings.Count(lastLine, "\n")
	for _, p := range s.pieces {
		n += strings.Count(p.text, "\n")
	}
	return n
}

// first returns the first screen of a report: the answer, the worst finding with what to do first, the first table, and
// what -v has besides.
func (r Report) first(width, height int) string {
	most, fewest := min(screenLines, height-1), words.Either(r.instead(), fewestOfTwo, fewestRows)
	s := r.opening(width, most)
	for rows := max(most-1, 1); s.lines() > most && rows > 0; rows-- {
		s = r.opening(width, rows)
		for rows <= fewest && s.lines() > most && s.dropOne() {
		}
	}
	var out strings.Builder
	for _, p := range s.pieces {
		out.WriteString(p.text)
	}
	var rest []string
	for _, noun := range s.nouns {
		if n := s.hidden[noun]; n > 0 {
			rest = append(rest, words.Plural(n, noun))
		}
	}
	rest = append(append(rest, words.Present(strings.ToLower(r.facts.Title))...), "all columns")
	fmt.Fprintf(&out, lastLine, table.Cut("-v shows all: "+words.List(rest)+".", width, 1))
	return strings.TrimLeft(out.String(), "\n") // a kernel log has no answer above its findings
}

// instead reports whether a later table is on the first screen.
func (r Report) instead() bool {
	return slices.ContainsFunc(r.blocks, func(b table.Block) bool {
		return slices.ContainsFunc(b.Grids[min(1, len(b.Grids)):], func(g table.Grid) bool { return g.Instead && len(g.Rows) > 0 })
	})
}

// dropOne removes the last of the least important pieces; false without any.
func (s *opening) dropOne() bool {
	least := -1
	for i, p := range s.pieces {
		if p.spare > 0 && (least < 0 || p.spare >= s.pieces[least].spare) {
			least = i
		}
	}
	if least < 0 {
		return false
	}
	s.hide(s.pieces[least].number, s.pieces[least].noun)
	s.pieces = slices.Delete(s.pieces, least, least+1)
	return true
}

// opening returns the pieces of the first screen, with a table of at most this number of rows.
func (r Report) opening(width, rows int) *opening {
	s := &opening{width: width, titled: r.titled, hidden: map[string]int{},
		nouns: []string{openQuestion}} // first, because a narrow terminal cuts the last line
	for i, paragraph := range r.opens(width) {
		spare := i
		if r.instead() {
			spare *= 9
		}
		s.add(spare, paragraph, "")
	}
	if len(r.unchecked) > 0 {
		more := ""
		if n := len(r.unchecked) - 1; n > 0 {
			more = fmt.Sprintf(" (%d more)", n)
		}
		n := r.unchecked[0]
		const word = 10 // the end of the first line, where the next word has no room
		// The reason has the advice, so the questions are cut.
		n.What = table.Cut(n.What, max(2*width-len(notChecked)-len(n.String())+len(n.What)-len(more)-word, width/2), 1)
		text := table.Cut(notChecked+words.Sentence(n.String())+more, width, 2)
		s.pieces = append(s.pieces, piece{labelled(table.Warn, strings.ReplaceAll(text, "\n", " "), width), 3,
			openQuestion, len(r.unchecked)})
	}
	s.findings(r)
	if !r.explained {
		s.blocks(r.blocks, rows)
	}
	for i, warning := range causesFirst(r.warnings) {
		before := words.Either(i == 0, "\n", "")
		s.add(2+5*min(i, 1), before+labelled(table.Warn, table.Cut("Warning: "+warning.Saw+".", width, 1), 2*width),
			"warning")
	}
	s.hide(len(r.missing.Lines), "missing figure")
	return s
}

// causesFirst returns the warnings, those last that another one often explains: a busy machine leaves a run incomplete,
// or somebody interrupts it. The answer says that the run was interrupted.
func causesFirst(warnings []result.Warning) []result.Warning {
	effect := func(w result.Warning) bool { return slices.Contains([]string{"", "incomplete", "starved"}, w.Kind) }
	effects := slices.DeleteFunc(slices.Clone(warnings), func(w result.Warning) bool { return !effect(w) })
	return append(slices.DeleteFunc(slices.Clone(warnings), effect), effects...)
}

// findings adds the worst finding with its first remedies, if the report explains findings, and the titles of the
// others.
func (s *opening) findings(r Report) {
	others := r.findings
	if f := worst(others); r.explained && f != nil {
		s.explain(*f)
		others = others[1:]
	}
	shown := 0
	for _, f := range others {
		if f.Severity == result.Note && !r.explained {
			continue
		}
		before := words.Either(shown == 0, "\n", "")
		s.add(4+2*min(shown, 1), before+labelled(levels[f.Severity], table.Cut(f.Severity+": "+f.Title, s.width, 1),
			2*s.width), "finding")
		shown++
	}
}

// explain adds a finding: its title, the first evidence, the cause, and the first two remedies.
func (s *opening) explain(f result.Finding) {
	s.add(0, "\n"+titled(f, s.width), "")
	fact := func(spare int, name, text string, lines int) {
		var out strings.Builder
		by := 2 + len("Evidence") + 2
		table.WriteFacts(&out, []table.Fact{{Name: fmt.Sprintf("%-8s", name),
			Value: strings.ReplaceAll(table.Cut(text, s.width-by, lines), "\n", " ")}}, 2, s.width)
		s.add(spare, out.String(), "")
	}
	if len(f.Evidence) > 0 {
		fact(4, "Evidence", f.Evidence[0], 1)
	}
	if f.Cause != "" {
		fact(5, "Cause", f.Cause, 2)
	}
	const most = 2
	for i, r := range f.Remedies[:min(most, len(f.Remedies))] {
		var text strings.Builder
		if i == 0 {
			text.WriteString("\nDo this first\n")
		}
		number := fmt.Sprintf("  %d. ", i+1)
		text.WriteString(number + strings.TrimLeft(table.Indented(words.Sentence(r.Advice), len(number), s.width), " "))
		for _, command := range r.Commands {
			text.WriteString(table.Indented(shell(command), len(number), s.width))
		}
		if r.Risk != "" {
			text.WriteString(table.Indented(table.Cut("Risk: "+r.Risk, s.width-len(number), 1), len(number), s.width))
		}
		s.add(8*i, text.String(), "more remedy")
	}
	s.hide(len(f.Remedies)-most, "more remedy")
}

// blocks adds the first block with its first table, and the verdicts of the others.
func (s *opening) blocks(all []table.Block, rows int) {
	tables, whole := 0, true
	for i, b := range all {
		instead := false
		if !b.HasRows() && b.Title != "" && i == 0 {
			s.add(0, "\n"+table.Indented(b.Title, 0, s.width), "")
		}
		for _, g := range b.Grids {
			switch {
			case len(g.Rows) == 0:
			case b.Facts.Instead:
				tables++
			case whole || g.Instead:
				whole, instead = false, instead || g.Instead
				text, hidden := g.First(s.width, rows)
				s.add(0, "\n"+text, "")
				s.hide(hidden, "row")
			default:
				tables++
			}
		}
		if instead {
			b.Facts = table.Facts{}
		}
		for k, line := range b.Facts.Brief(s.width) {
			s.add(min(k, 2)*2+5*min(i, 1), line, words.Either(b.Facts.Instead, "row", ""))
		}
		title := words.Either(s.titled && b.Title != "" && i > 0, b.Title+": ", "")
		for k, line := range append(b.Faults, words.Present(b.Verdict)...) {
			line = b.Level.Paint(table.Cut(title+line, s.width, 2) + "\n")
			s.add(3*min(k, 1)+5*min(i, 1), line, words.Either(k < len(b.Faults), "fault", ""))
		}
	}
	s.hide(tables, "table")
}
