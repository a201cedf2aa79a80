package runtimes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/preload"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/wake"
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

// Block returns a table for each runtime and for each span of sleeps, and which call to choose.
func (s *Runtimes) Block(*result.Document) table.Block {
	block := table.Block{Title: title, Facts: table.Facts{Title: "Which call to choose", Lines: s.choices()},
		Verdict: s.answer(), Faults: wake.EarlyFaults(s.sleeps())}
	block.Facts.Instead = len(block.Facts.Lines) > 1
	spans := wake.Spans(s.sleeps())
	if len(spans) > 0 && len(block.Facts.Lines) == 0 {
		block.Facts = table.Facts{Title: "Which sleep to choose for " + words.Duration(float64(spans[0])),
			Lines: s.sleepChoices(spans[0])}
	}
	for _, span := range spans {
		title := "Lateness of sleeps of " + words.Duration(float64(span))
		block.Grids = append(block.Grids, table.Of(title, s.sleptFor(span), columns))
	}
	var notFound, failed []string
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		switch {
		case !r.Available && len(s.Runtimes) < len(Names()): // the user named them
			failed = append(failed, fmt.Sprintf("%s (%s)", r.Name, r.Reason))
			continue
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
	if len(failed) > 0 {
		block.Faults = append(block.Faults, "Not measured: "+strings.Join(failed, ", ")+".")
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
		effect := "These figures include it, except for static programs."
		if strings.HasSuffix(library, "("+preload.Variable+")") {
			effect = "It was not passed on: these figures are without it, but your own programs run with it."
		}
		notes = append(notes, library+" is preloaded and stands in for the clock: it defines functions that return the time. "+effect)
	}
	return notes
}

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

// A line is a call of a runtime with one of its figures of throughput; or the empty loop, the empty call, or a runtime
// that was not measured.
type line struct {
	section    *Runtimes
	runtime    *MeasuredRuntime
	call       MeasuredCall
	throughput *compare.Throughput
	slept      *wake.SleepSpan
	// own is whether the call returns no time: the empty loop, the empty call or a way to sleep.
	own bool
}

// ofCall returns the cell of a call for people; empty for the empty loop and the empty call.
func ofCall(cell func(line) string) func(line) string {
	return func(l line) string {
		if l.own {
			return ""
		}
		return cell(l)
	}
}

var columns = func() []table.Column[line] {
	all := slices.Concat(
		[]table.Column[line]{
			{Name: "Call", Left: true, Cell: func(l line) string { return l.call.Call }},
			{Key: "runtime", Text: func(l line) string { return l.runtime.Name }},
			{Key: "version", Text: func(l line) string { return l.runtime.Version }},
			{Key: "path", Text: func(l line) string { return l.runtime.Path }},
			{Key: "call_id", Text: func(l line) string { return l.call.ID }},
			{Key: "kind", Text: func(l line) string { return l.call.Kind }},
			{Key: "reason", Text: func(l line) string { return l.call.Reason }},
			{
				Name: "reads", Key: "reads", Left: true,
				Text: func(l line) string { return strings.Join(l.call.Reads, ", ") },
				Cell: ofCall(func(l line) string { return l.call.readsCell() }),
			},
		},
		compare.LatencyColumns("ns/call", "starts", func(l line) *compare.Latency { return l.call.Latency }),
		[]table.Column[line]{{Name: "clock + runtime", Spare: 2,
			Cell: func(l line) string { return l.section.splitCell(l) }}},
		compare.ResolutionColumns(func(l line) *compare.Resolution { return l.call.Resolution }),
		[]table.Column[line]{
			{
				Name: "enters kernel", Key: "kernel_entry", Text: func(l line) string { return l.call.KernelEntry },
				Cell: func(l line) string {
					if l.call.KernelEntry == result.Unknown {
						return ""
					}
					return compare.EntersKernel(l.call.KernelEntry)
				},
			},
			{
				Name: "without vDSO", Key: "without_vdso_ns", Spare: 5, Unit: words.NS,
				Value: func(l line) float64 { return table.Known(l.call.WithoutVDSONS) },
			},
		},
		compare.ThroughputColumns(func(l line) *compare.Throughput { return l.throughput }), sleepColumns())
	spare := map[string]int{"latency_low_ns": 3, "latency_min_ns": 4, "tick_ns": 1} // by key
	for i := range all {
		c := &all[i]
		c.Spare = cmp.Or(spare[c.Key], c.Spare)
		if _, ok := spare[c.Key]; ok && c.Cell != nil {
			c.Cell = ofCall(c.Cell)
		}
	}
	return all
}()

// empties returns the lines of the empty loop and the empty call, if they were measured.
func (s *Runtimes) empties(r *MeasuredRuntime) []line {
	var all []line
	for _, of := range []struct {
		id, name string
		valueNS  float64
	}{{"loop@", "(empty loop)", r.LoopNS}, {"call@", "(empty call)", r.CallNS}} {
		if of.valueNS > 0 {
			call := MeasuredCall{ID: of.id + r.Name, Call: of.name, Latency: &compare.Latency{MedianNS: of.valueNS}}
			all = append(all, line{section: s, runtime: r, call: call, own: true})
		}
	}
	return all
}

// grid has a row for each call of a runtime, the fastest first, and rows for the empty loop and the empty call.
func (s *Runtimes) grid(r *MeasuredRuntime) table.Grid {
	var calls []line
	for _, m := range r.byLatency() {
		calls = append(calls, line{section: s, runtime: r, call: m})
	}
	if len(calls) > 0 {
		calls = append(calls, s.empties(r)...)
	}
	return table.Of(r.title(), calls, columns)
}

// byLatency returns the calls that were measured, the fastest first.
func (r *MeasuredRuntime) byLatency() []MeasuredCall {
	measured := slices.DeleteFunc(slices.Clone(r.Calls), func(m MeasuredCall) bool { return m.Latency == nil })
	slices.SortStableFunc(measured, byMedian)
	return measured
}

// traced reports whether the clocks that the call reads are known.
func (m *MeasuredCall) traced() bool { return m.TracedCalls > 0 }

func (m *MeasuredCall) readsCell() string {
	switch {
	case !m.traced():
		return ""
	case len(m.Reads) == 0 && m.Kind == cpuTime:
		return "a file of /proc"
	case len(m.Reads) == 0:
		return "no system call"
	case m.AttributedCalls < m.TracedCalls:
		return repeated(m.Reads) + " mostly"
	default:
		return repeated(m.Reads)
	}
}

// repeated returns names, with consecutive equal names as one with their number.
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

func (r *MeasuredRuntime) threadsGrid() table.Grid {
	measured := slices.DeleteFunc(r.byLatency(), func(m MeasuredCall) bool { return len(m.Throughput) == 0 })
	columns, note := compare.ThreadColumns(measured, func(m MeasuredCall) []compare.Throughput { return m.Throughput },
		func(t *compare.Throughput) string { return words.NS(t.NSPerRead) })
	g := table.Of(r.Name+": wall time of one thread in ns/call, by number of threads", measured,
		slices.Insert(columns, 0, table.Column[MeasuredCall]{Name: "Call", Left: true,
			Text: func(m MeasuredCall) string { return m.Call }}))
	g.Note = note
	return g
}

func (r *MeasuredRuntime) missing() []table.Fact {
	var lines []table.Fact
	for _, m := range r.Calls {
		lines = append(lines, table.Fact{Name: m.ID, Value: m.Reason})
	}
	for _, m := range r.Sleeps {
		lines = append(lines, table.Fact{Name: m.ID, Value: m.Reason})
	}
	return slices.DeleteFunc(lines, func(f table.Fact) bool { return f.Value == "" })
}

// unproven returns a line for each reason why the reads of calls, or the system calls of sleeps, are unknown.
func (s *Runtimes) unproven() []string {
	var why, unseen words.Reasons
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		for _, m := range r.Calls {
			if m.Latency != nil && !m.traced() {
				why.Add(r.Name, m.ReadsBy)
				break
			}
		}
		for _, m := range wake.Rows(r.Sleeps) {
			if m.SystemCall == "" && m.SystemCallBy != noWait {
				unseen.Add(r.Name, m.SystemCallBy)
				break
			}
			if m.SystemCall == "" {
				unseen.Add(m.Name(), noWait)
			}
		}
	}
	var lines []string
	for _, line := range why.Lines() {
		lines = append(lines, "Which clocks are read is unknown for "+line)
	}
	for _, line := range unseen.Lines() {
		lines = append(lines, "The system call that waits is unknown for "+line)
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

// Lines returns a line for each call and number of threads, and lines for the empty loop and the
// empty call. A runtime that was not measured has one line with the reason.
func (s *Runtimes) Lines(*result.Document) [][]string {
	var all []line
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		if !r.Available {
			all = append(all, line{section: s, runtime: r, call: MeasuredCall{Reason: r.Reason}})
			continue
		}
		all = append(all, s.empties(r)...)
		for _, m := range r.Calls {
			if len(m.Throughput) == 0 {
				all = append(all, line{section: s, runtime: r, call: m})
			}
			for k := range m.Throughput {
				all = append(all, line{section: s, runtime: r, call: m, throughput: &m.Throughput[k]})
			}
		}
		for _, m := range r.Sleeps {
			for k := range m.Spans {
				all = append(all, line{section: s, runtime: r, call: MeasuredCall{ID: m.ID}, slept: &m.Spans[k]})
			}
		}
	}
	return table.Lines(all, columns)
}
