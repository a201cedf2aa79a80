package wake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// Fact returns how long the measurement took, on which CPUs, and beside which load.
func (w *Wake) Fact(*result.Document) table.Fact {
	text := "measured for " + words.Duration(float64(w.DurationNS))
	if len(w.CPUs) > 0 {
		text += " on " + words.CPUs(w.CPUs)
	}
	if w.BusyThreads > 0 {
		text += ", beside " + words.Plural(w.BusyThreads, "busy thread")
	}
	return table.Fact{Name: "Wake-ups", Value: text}
}

// Block returns a table for each span, the ways with the least lateness first, and the facts of the machine.
func (w *Wake) Block(*result.Document) table.Block {
	block := table.Block{Title: title, Verdict: w.verdict(), Facts: table.Facts{Title: "Timers of this machine",
		Lines: w.Timers.lines()}}
	for _, span := range Spans(w.Ways) {
		g := table.Of(title+" of "+words.Duration(float64(span)), ByLateness(w.Ways, span), columns)
		if len(block.Grids) == 0 {
			g.Note = "Lateness is the wake-up minus the deadline. " +
				"Runtime, rounding, timer slack, leaving idle and the rest are parts of the median."
		}
		block.Grids = append(block.Grids, g)
	}
	if block.Faults = EarlyFaults(w.Ways); len(block.Faults) > 0 {
		block.Level = table.Error
	}
	var why words.Reasons
	for _, way := range w.Ways {
		why.Add(way.ID, way.Reason)
	}
	block.Notes = why.Lines()
	if w.NoIdleLayer != "" {
		block.Notes = append(block.Notes, "The time to leave idle is part of the rest: "+w.NoIdleLayer+".")
	}
	return block
}

const title = "Lateness of sleeps"

// verdict says how late the first way ends its shortest sleep, why, and which way to use. A median without an interval
// is no answer: on a busy machine one sleep of two ends milliseconds late.
func (w *Wake) verdict() string {
	spans := Spans(w.Ways)
	if len(spans) == 0 {
		return "No way to sleep could be measured."
	}
	i := slices.IndexFunc(w.Ways, func(way SleepWay) bool { return len(way.Spans) > 0 })
	s := &w.Ways[i].Spans[0]
	if s.Samples < leastForInterval {
		return fmt.Sprintf("Too few sleeps of %s to tell how late they end (%d of %s); use a longer --duration.",
			words.Duration(float64(s.SpanNS)), s.Samples, w.Ways[i].ID)
	}
	text := fmt.Sprintf("A sleep of %s ends %s late", words.Duration(float64(s.SpanNS)), words.SignedDuration(s.MedianLateNS))
	var parts []string
	for _, l := range s.Layers {
		if l.Name != TheRest {
			parts = append(parts, words.Duration(l.NS)+map[bool]string{true: " are ", false: " "}[len(parts) == 0]+l.Name)
		}
	}
	if w.Timers.Ticks() {
		parts = []string{"without high-resolution timers it ends at a tick, every " + words.Duration(float64(w.Timers.ResolutionNS))}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + " (" + w.Ways[i].ID + ")." + w.choice(s)
}

// choice names the way to use for a span, if it is less late than the first way. Of ways that do not differ, it names
// the way that most programs use.
func (w *Wake) choice(first *SleepSpan) string {
	rows := ByLateness(w.Ways, first.SpanNS)
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Early > 0 || r.Samples < leastForInterval })
	if len(rows) == 0 || first.Early == 0 && rows[0].HighNS >= first.LowNS {
		return ""
	}
	best := rows[0]
	if i := slices.IndexFunc(rows, func(r Row) bool { return everyday(r) && r.LowNS <= best.HighNS }); i >= 0 {
		best = rows[i]
	}
	return fmt.Sprintf(" For %s use %s: %s late.", words.Duration(float64(best.SpanNS)), best.ID,
		words.SignedDuration(best.MedianLateNS))
}

func spanOf(r Row) *SleepSpan { return r.SleepSpan }

// A layer is how a layer is shown.
type layer struct {
	name  string
	spare int // of its column
	part  int // its colour among picture.Parts; neighbours differ in a grey print too
}

var layers = []layer{{Runtime, 5, 7}, {Rounding, 3, 2}, {TimerSlack, 3, 1}, {LeavingIdle, 3, 5}, {TheRest, 5, 0}}

// layer returns a part of the median, or table.Unknown.
func (s *SleepSpan) layer(name string) float64 {
	for _, l := range s.Layers {
		if l.Name == name {
			return l.NS
		}
	}
	return table.Unknown
}

// layerColumns returns a column for each layer, and columns for the worst CPU.
func layerColumns() (columns []table.Column[Row]) {
	figure := table.Within(spanOf, table.Unknown)
	for _, l := range layers {
		columns = append(columns, table.Column[Row]{Name: l.name, Key: strings.ReplaceAll(l.name, " ", "_") + "_ns", Spare: l.spare,
			Unit: words.Duration, Value: figure(func(s *SleepSpan) float64 { return s.layer(l.name) })})
	}
	columns[len(columns)-1].Note = "the rest: the timer interrupt, the wake-up, the scheduler, and in a virtual machine the host."
	return append(columns,
		table.Column[Row]{Name: "worst CPU", Key: "worst_cpu", Spare: 1,
			Value: figure(func(s *SleepSpan) float64 {
				if s.WorstCPU == nil {
					return table.Unknown
				}
				return float64(*s.WorstCPU)
			}),
			Cell: table.Within(spanOf, "")(func(s *SleepSpan) string {
				if s.WorstCPU == nil {
					return ""
				}
				return strconv.Itoa(*s.WorstCPU) + ": " + words.SignedDuration(s.WorstCPUMedianNS)
			})})
}

// everyday reports whether most programs sleep by this way.
func everyday(r Row) bool {
	call, _, _ := strings.Cut(r.ID, "@")
	return slices.Contains([]string{"nanosleep", "clock_nanosleep", "timerfd", "futex", "poll", "epoll_wait", "time.Sleep"}, call)
}

var columns = slices.Concat([]table.Column[Row]{
	{Name: "Way", Key: "way", Left: true, First: everyday, Text: func(r Row) string { return r.ID }},
	{Key: "call", Text: func(r Row) string { return r.Call }},
}, LatenessColumns(spanOf, layerColumns()...), []table.Column[Row]{{Key: "reason", Text: func(r Row) string { return r.Reason }}})

// Lines returns a line for each way and span. A way that is not available has one line with the reason.
func (w *Wake) Lines(*result.Document) [][]string { return table.Lines(w.all(), columns) }

func (w *Wake) all() (all []Row) {
	for i := range w.Ways {
		if way := &w.Ways[i]; len(way.Spans) == 0 {
			all = append(all, Row{SleepWay: way})
		}
	}
	return append(Rows(w.Ways), all...)
}

// Metrics returns the lateness of the ways for Prometheus, in seconds.
func (w *Wake) Metrics() []exposition.Family {
	return table.Metrics("timebench_wake_", Rows(w.Ways), func(r Row) []string {
		return []string{"way", r.ID, "span_seconds", words.Number(float64(r.SpanNS) / 1e9)}
	}, columns)
}

// Ticks reports whether the system has no high-resolution timers: the resolution is a tick, of about 1 ms at least, as
// CONFIG_HZ is 1000 at most. With high-resolution timers it is 1 ns.
func (t *Timers) Ticks() bool { return t.ResolutionNS >= 900_000 }

// lines returns the facts that are known.
func (t *Timers) lines() []table.Fact {
	if t.ResolutionNS == 0 {
		return nil // not Linux
	}
	resolution := words.Duration(float64(t.ResolutionNS))
	if t.Ticks() {
		resolution += ", a tick: no high-resolution timers"
	}
	lines := []table.Fact{{Name: "Timer slack", Value: words.Duration(float64(t.SlackNS))},
		{Name: "Timer resolution", Value: resolution}}
	for _, f := range t.Facts {
		lines = append(lines, table.Fact(f))
	}
	for _, s := range t.IdleStates {
		lines = append(lines, table.Fact{Name: "Idle state " + s.Name, Value: "entered " + words.Thousands(s.Entered) +
			"×, exit latency " + words.Duration(float64(s.LatencyNS))})
	}
	return lines
}
