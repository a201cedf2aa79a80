package runtimes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/preload"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// Fact returns how the calls were measured.
func (s *Runtimes) Fact(*result.Document) table.Fact {
	measured, starts := 0, 0
	for _, r := range s.Runtimes {
		if r.Available {
			measured++
			starts = max(starts, r.Forks)
		}
	}
	text := fmt.Sprintf("%s measured for %s", words.Plural(measured, "runtime"), words.Duration(float64(s.DurationNS)))
	if starts > 0 {
		text += ", each in " + words.Plural(starts, "start")
	}
	if len(s.Environment) > 0 {
		text += "; environment: " + strings.Join(s.Environment, " ")
	}
	if len(s.ClearedEnvironment) > 0 {
		text += "; cleared from the environment: " + strings.Join(s.ClearedEnvironment, ", ")
	}
	return table.Fact{Name: "Runtimes", Value: text}
}

// title is the title of everything about the section.
const title = "Clock calls of runtimes"

// Block returns a table for each runtime, and which call to choose in it.
func (s *Runtimes) Block(d *result.Document) table.Block {
	block := table.Block{Title: title, Facts: table.Facts{Title: "Which call to choose", Lines: s.choices()}, Verdict: s.answer(d)}
	var notFound []string
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		switch {
		case strings.HasPrefix(r.Reason, notInPath):
			notFound = append(notFound, r.Name)
			continue
		case !r.Available:
			block.Missing = append(block.Missing, table.Fact{Name: r.Name, Value: r.Reason})
			continue
		case r.Reason != "":
			block.Notes = append(block.Notes, r.Name+": "+words.Sentence(r.Reason))
		}
		block.Grids = append(block.Grids, s.grid(r), r.threadsGrid())
		block.Missing = append(block.Missing, r.missing()...)
		block.Notes = append(block.Notes, r.notes()...)
	}
	if len(notFound) > 0 {
		block.Missing = append(block.Missing, table.Fact{Name: "not in PATH", Value: strings.Join(notFound, ", ")})
	}
	block.Notes = append(block.Notes, s.preloadedNotes()...)
	block.Notes = append(block.Notes, s.unproven()...)
	if line := s.clocksLine(); line != "" && block.HasRows() {
		block.Notes = append(block.Notes, line)
	}
	return block
}

// preloadedNotes returns a sentence for each library that stands in for the clock.
func (s *Runtimes) preloadedNotes() []string {
	var notes []string
	for _, library := range s.Preloaded {
		effect := "These figures are with it, except those of static programs."
		if strings.HasSuffix(library, "("+preload.Variable+")") {
			effect = "It was not passed on: these figures are without it, but your own programs run with it."
		}
		notes = append(notes, library+" is preloaded and stands in for the clock: it defines functions that return the time. "+effect)
	}
	return notes
}

// title returns the name, the version and the path of a runtime.
func (r *MeasuredRuntime) title() string {
	text := r.Name
	if version := strings.TrimSpace(strings.TrimPrefix(strings.ToLower(r.Version), r.Name)); version != "" {
		text += ": " + r.Version
	}
	if r.Libc != "" {
		text += ", " + strings.Replace(r.Libc, noLibc, "no C library", 1)
	}
	if r.Path != "" {
		text += " (" + r.Path + ")"
	}
	return text
}

// A column is one column of the table of a runtime.
type column struct {
	name string
	cell func(MeasuredCall) string
	// own is the cell of the empty loop and of the empty call; nil if it stays empty.
	own func(valueNS float64) string
	// known is whether a call has a value; nil if all have.
	known func(MeasuredCall) bool
}

// columns are those after the names of the calls. One of which no call has a value is left out.
var columns = []column{
	{name: "reads", cell: func(m MeasuredCall) string { return m.readsCell() }, known: func(m MeasuredCall) bool { return m.traced() }},
	{name: "ns/call", cell: func(m MeasuredCall) string { return words.NS(m.Latency.MedianNS) }, own: words.NS},
	{name: "95% CI", cell: func(m MeasuredCall) string { return compare.Interval(m.Latency, "starts") }},
	{name: "min", cell: func(m MeasuredCall) string { return words.NS(m.Latency.MinNS) }},
	{name: "resolution", cell: func(m MeasuredCall) string { return compare.Tick(m.Resolution) }},
	{name: "enters kernel", cell: func(m MeasuredCall) string { return compare.EntersKernel(m.KernelEntry) },
		known: func(m MeasuredCall) bool { return m.KernelEntry != "" && m.KernelEntry != result.Unknown }},
	{name: "without vDSO", cell: func(m MeasuredCall) string { return cost(m.WithoutVDSONS) }, known: func(m MeasuredCall) bool { return m.WithoutVDSONS > 0 }},
}

// grid has a row for each call of a runtime, the fastest first, and rows for the empty loop and the empty call.
func (s *Runtimes) grid(r *MeasuredRuntime) table.Grid {
	all := columns
	if r.TimedBy == "" {
		const afterCost = 2
		all = slices.Insert(slices.Clone(columns), afterCost, s.splitColumn())
	}
	calls := r.byLatency()
	g := table.Grid{Title: r.title(), Texts: 1, Header: []string{"Call"}}
	shown := slices.DeleteFunc(slices.Clone(all), func(c column) bool {
		return c.known != nil && !slices.ContainsFunc(calls, c.known)
	})
	for _, c := range shown {
		g.Header = append(g.Header, c.name)
	}
	for _, spare := range []string{"min", "without vDSO", "95% CI", "clock + runtime", "resolution"} {
		if i := slices.Index(g.Header, spare); i >= 0 {
			g.Spare = append(g.Spare, i)
		}
	}
	if len(shown) > 0 && shown[0].name == columns[0].name {
		g.Texts = 2
	}
	for _, m := range calls {
		row := []string{m.Call}
		for _, c := range shown {
			row = append(row, c.cell(m))
		}
		g.Rows = append(g.Rows, row)
	}
	for _, own := range []struct {
		name    string
		valueNS float64
	}{{"(empty loop)", r.LoopNS}, {"(empty call)", r.CallNS}} {
		if own.valueNS == 0 || len(calls) == 0 {
			continue
		}
		row := []string{own.name}
		for _, c := range shown {
			if c.own == nil {
				row = append(row, "")
			} else {
				row = append(row, c.own(own.valueNS))
			}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func cost(valueNS float64) string {
	if valueNS == 0 {
		return "-"
	}
	return words.NS(valueNS)
}

// byLatency returns the calls that were measured, the fastest first.
func (r *MeasuredRuntime) byLatency() []MeasuredCall {
	measured := slices.DeleteFunc(slices.Clone(r.Calls), func(m MeasuredCall) bool { return m.Latency == nil })
	slices.SortStableFunc(measured, func(a, b MeasuredCall) int { return cmp.Compare(a.Latency.MedianNS, b.Latency.MedianNS) })
	return measured
}

// traced reports whether it is known which clocks the call reads.
func (m *MeasuredCall) traced() bool { return m.TracedCalls > 0 }

// readsCell returns the clocks that a call reads.
func (m *MeasuredCall) readsCell() string {
	switch {
	case !m.traced():
		return "-"
	case len(m.Reads) == 0:
		return "no system call"
	case m.AttributedCalls < m.TracedCalls:
		return repeated(m.Reads) + " mostly"
	default:
		return repeated(m.Reads)
	}
}

// repeated returns names, consecutive equal ones as one with their number.
func repeated(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		n := 1
		for i+n < len(names) && names[i+n] == names[i] {
			n++
		}
		part := names[i]
		if n > 1 {
			part = strconv.Itoa(n) + " × " + part
		}
		parts = append(parts, part)
		i += n
	}
	return strings.Join(parts, ", ")
}

// threadsGrid has a column for each number of threads.
func (r *MeasuredRuntime) threadsGrid() table.Grid {
	beyond := map[int]bool{}
	for _, m := range r.Calls {
		for _, t := range m.Throughput {
			beyond[t.Threads] = beyond[t.Threads] || t.Oversubscribed
		}
	}
	counts := slices.Sorted(maps.Keys(beyond))
	over := func(threads int) bool { return beyond[threads] }
	columns := append([]table.Column[MeasuredCall]{{Name: "Call", Left: true, Text: func(m MeasuredCall) string { return m.Call }}},
		compare.ThreadColumns(counts, over, func(m MeasuredCall, threads int) string {
			i := slices.IndexFunc(m.Throughput, func(t compare.Throughput) bool { return t.Threads == threads })
			if i < 0 {
				return ""
			}
			return words.NS(m.Throughput[i].NSPerRead)
		})...)
	measured := slices.DeleteFunc(r.byLatency(), func(m MeasuredCall) bool { return len(m.Throughput) == 0 })
	g := table.Of(r.Name+": wall time of one thread in ns/call, by number of threads", measured, columns)
	if slices.ContainsFunc(counts, over) {
		g.Note = compare.OversubscribedNote
	}
	return g
}

// missing returns a line for each call that was not measured.
func (r *MeasuredRuntime) missing() []table.Fact {
	var lines []table.Fact
	for _, m := range r.Calls {
		if m.Reason != "" {
			lines = append(lines, table.Fact{Name: m.ID, Value: m.Reason})
		}
	}
	return lines
}

// unproven returns a line for each reason why the reads of calls are unknown.
func (s *Runtimes) unproven() []string {
	var why words.Reasons
	for _, r := range s.Runtimes {
		for _, m := range r.Calls {
			if m.Latency != nil && !m.traced() {
				why.Add(r.Name, m.ReadsBy)
				break
			}
		}
	}
	lines := why.Lines()
	for i, line := range lines {
		lines[i] = "Which clocks are read is unknown for " + line
	}
	return lines
}

// clocksLine returns a sentence with the cost of the system's clocks.
func (s *Runtimes) clocksLine() string {
	var parts []string
	for _, c := range s.fine() {
		parts = append(parts, fmt.Sprintf("%s %s ns", c.ID, words.NS(c.Latency.MedianNS)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Without a runtime: " + strings.Join(parts, ", ") + "."
}

// csvHeader is that of Lines.
var csvHeader = []string{
	"runtime", "version", "path", "call_id", "kind", "reason", "latency_median_ns", "latency_low_ns", "latency_high_ns", "latency_min_ns",
	"tick_ns", "finer_than_read", "reads", "kernel_entry", "without_vdso_ns", "threads", "reads_per_second", "ns_per_read", "fairness", "oversubscribed",
}

// Lines returns a line for each call and number of threads, and lines for the empty loop and the
// empty call. A runtime that was not measured has one line with the reason.
func (s *Runtimes) Lines(*result.Document) [][]string {
	lines := [][]string{csvHeader}
	add := func(cells ...string) {
		lines = append(lines, append(cells, make([]string, len(csvHeader)-len(cells))...))
	}
	for _, r := range s.Runtimes {
		if !r.Available {
			add(r.Name, r.Version, r.Path, "", "", r.Reason)
			continue
		}
		add(r.Name, r.Version, r.Path, "loop@"+r.Name, "", "", words.Known(r.LoopNS))
		add(r.Name, r.Version, r.Path, "call@"+r.Name, "", "", words.Known(r.CallNS))
		for _, m := range r.Calls {
			cells := append([]string{r.Name, r.Version, r.Path}, m.cells()...)
			if len(m.Throughput) == 0 {
				add(cells...)
			}
			for _, t := range m.Throughput {
				add(append(slices.Clone(cells), strconv.Itoa(t.Threads), words.Number(t.ReadsPerSecond), words.Number(t.NSPerRead),
					words.Number(t.Fairness), strconv.FormatBool(t.Oversubscribed))...)
			}
		}
	}
	return lines
}

// cells returns the cells of a call, without those of its throughput.
func (m *MeasuredCall) cells() []string {
	cells := []string{m.ID, m.Kind, m.Reason}
	if l := m.Latency; l == nil {
		cells = append(cells, "", "", "", "")
	} else {
		cells = append(cells, words.Number(l.MedianNS), words.Known(l.LowNS), words.Known(l.HighNS), words.Number(l.MinNS))
	}
	if r := m.Resolution; r == nil {
		cells = append(cells, "", "")
	} else {
		cells = append(cells, words.Known(r.TickNS), strconv.FormatBool(r.FinerThanRead))
	}
	return append(cells, strings.Join(m.Reads, ", "), m.KernelEntry, words.Known(m.WithoutVDSONS))
}
