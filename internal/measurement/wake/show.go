package wake

import (
	"cmp"
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
func (w *Wake) Block(d *result.Document) table.Block {
	block := table.Block{Title: title, Verdict: w.verdict(), Facts: table.Facts{Title: "Timers of this machine",
		Lines: w.Timers.facts(d.Host.CPU.Quota)}}
	for _, span := range w.spans() {
		g := table.Of(title+" of "+words.Duration(float64(span)), w.rows(span), columns)
		if len(block.Grids) == 0 {
			g.Note = "Lateness is the wake-up minus the deadline. runtime to the rest: parts of the median. The rest is the timer " +
				"interrupt, the wake-up and the scheduler."
		}
		block.Grids = append(block.Grids, g)
	}
	var why words.Reasons
	for _, way := range w.Ways {
		why.Add(way.ID, way.Reason)
		for _, s := range way.Spans {
			if s.Early > 0 {
				block.Level = table.Error
				block.Faults = append(block.Faults, fmt.Sprintf("%s ended %s of %s of %s before the deadline, by %s at most.",
					way.ID, words.Thousands(int64(s.Early)), words.Plural(s.Samples, "sleep"), words.Duration(float64(s.SpanNS)),
					words.Duration(-s.MinLateNS)))
			}
		}
	}
	block.Notes = append(w.choice(), why.Lines()...)
	if w.NoIdleLayer != "" {
		block.Notes = append(block.Notes, "The time to leave idle is part of the rest: "+w.NoIdleLayer+".")
	}
	return block
}

const title = "Lateness of sleeps"

// spans returns the spans of all ways, in order of appearance.
func (w *Wake) spans() (all []int64) {
	for _, way := range w.Ways {
		for _, s := range way.Spans {
			if !slices.Contains(all, s.SpanNS) {
				all = append(all, s.SpanNS)
			}
		}
	}
	return all
}

// A row is a way with one of its spans; without one, why it is not available.
type row struct {
	*SleepWay
	*SleepSpan
}

// rows returns the ways that slept for the span, the ways with the least median first.
func (w *Wake) rows(span int64) (all []row) {
	all = slices.DeleteFunc(w.all(), func(r row) bool { return r.SleepSpan == nil || r.SpanNS != span })
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.MedianLateNS, b.MedianLateNS) })
	return all
}

// layer returns a layer, and whether it is known.
func (s *SleepSpan) layer(name string) (ns float64, known bool) {
	i := slices.IndexFunc(s.Layers, func(l SleepLayer) bool { return l.Name == name })
	if i < 0 {
		return 0, false
	}
	return s.Layers[i].NS, true
}

// verdict says how late the first way ends its shortest sleep, and why.
func (w *Wake) verdict() string {
	spans := w.spans()
	if len(spans) == 0 {
		return "No way to sleep could be measured."
	}
	i := slices.IndexFunc(w.Ways, func(way SleepWay) bool { return len(way.Spans) > 0 })
	s := &w.Ways[i].Spans[0]
	text := fmt.Sprintf("A sleep of %s ends %s late", words.Duration(float64(s.SpanNS)), words.SignedDuration(s.MedianLateNS))
	if s.MedianLateNS < 0 {
		text = fmt.Sprintf("A sleep of %s ends %s early", words.Duration(float64(s.SpanNS)), words.Duration(-s.MedianLateNS))
	}
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
	return text + " (" + w.Ways[i].ID + ")."
}

// choice says which way to choose: the least late for the shortest span, and the ways that round.
func (w *Wake) choice() (notes []string) {
	spans := w.spans()
	if len(spans) == 0 {
		return nil
	}
	rows := slices.DeleteFunc(w.rows(spans[0]), func(r row) bool { return r.Early > 0 })
	if len(rows) > 1 && rows[0].HighNS > 0 && rows[0].HighNS < rows[1].LowNS {
		notes = append(notes, fmt.Sprintf("For %s use %s: it is least late, %s.", words.Duration(float64(spans[0])), rows[0].ID,
			words.SignedDuration(rows[0].MedianLateNS)))
	}
	var rounding []string
	for _, r := range rows {
		if _, known := r.layer(Rounding); known {
			rounding = append(rounding, r.ID)
		}
	}
	if len(rounding) > 0 {
		notes = append(notes, words.List(rounding)+map[bool]string{true: " rounds", false: " round"}[len(rounding) == 1]+
			" the time up.")
	}
	return notes
}

// figure makes a column of a figure of the span.
var figure = table.Within(func(r row) *SleepSpan { return r.SleepSpan }, table.Unknown)

func layerColumn(name, key string, spare int) table.Column[row] {
	return table.Column[row]{Name: name, Key: key, Spare: spare, Unit: words.Duration,
		Value: figure(func(s *SleepSpan) float64 {
			ns, known := s.layer(name)
			return table.If(known, ns)
		})}
}

// everyday reports whether most programs sleep by this way.
func everyday(r row) bool {
	call, _, _ := strings.Cut(r.ID, "@")
	return slices.Contains([]string{"nanosleep", "clock_nanosleep", "timerfd", "futex", "poll", "epoll_wait", "time.Sleep"}, call)
}

var columns = []table.Column[row]{
	{Name: "Way", Key: "way", Left: true, Copied: true, First: everyday, Text: func(r row) string { return r.ID }},
	{Key: "call", Text: func(r row) string { return r.Call }},
	{Key: "span_ns", Value: figure(func(s *SleepSpan) float64 { return float64(s.SpanNS) })},
	{Name: "min", Key: "min_late_ns", Spare: 9, Unit: words.SignedDuration,
		Value: figure(func(s *SleepSpan) float64 { return s.MinLateNS })},
	{Name: "median", Key: "median_late_ns", Unit: words.SignedDuration, Metric: "median_late_seconds",
		Help:  "Median of the time from the deadline of a sleep to the wake-up.",
		Value: figure(func(s *SleepSpan) float64 { return s.MedianLateNS })},
	{Key: "low_ns", Value: figure(func(s *SleepSpan) float64 { return table.Known(s.LowNS) })},
	{Key: "high_ns", Value: figure(func(s *SleepSpan) float64 { return table.Known(s.HighNS) })},
	{Name: "p99", Key: "p99_late_ns", Spare: 2, Unit: words.SignedDuration, Metric: "p99_late_seconds",
		Help:  "99th percentile of the time from the deadline of a sleep to the wake-up.",
		Value: figure(func(s *SleepSpan) float64 { return table.Known(s.P99LateNS) })},
	{Name: "p99.9", Key: "p99_9_late_ns", Spare: 7, Unit: words.SignedDuration,
		Value: figure(func(s *SleepSpan) float64 { return table.Known(s.P999LateNS) })},
	{Name: "max", Key: "max_late_ns", Spare: 4, Unit: words.SignedDuration, Metric: "max_late_seconds",
		Help:  "Maximum of the time from the deadline of a sleep to the wake-up.",
		Value: figure(func(s *SleepSpan) float64 { return s.MaxLateNS })},
	{Key: "max_at_ns", Value: figure(func(s *SleepSpan) float64 { return float64(s.MaxAtNS) })},
	layerColumn(Runtime, "runtime_ns", 5),
	layerColumn(Rounding, "rounding_ns", 3),
	layerColumn(TimerSlack, "timer_slack_ns", 3),
	layerColumn(LeavingIdle, "leaving_idle_ns", 3),
	layerColumn(TheRest, "the_rest_ns", 5),
	{Name: "worst CPU", Key: "worst_cpu", Spare: 6, Text: func(r row) string {
		if r.SleepSpan == nil || r.WorstCPU == nil {
			return ""
		}
		return strconv.Itoa(*r.WorstCPU)
	},
		Cell: func(r row) string {
			if r.WorstCPU == nil {
				return ""
			}
			return strconv.Itoa(*r.WorstCPU) + ": " + words.SignedDuration(r.WorstCPUMedianNS)
		}},
	{Name: "early", Key: "early", Metric: "early_sleeps", Help: "Number of sleeps that ended before their deadline.",
		Value: figure(func(s *SleepSpan) float64 { return float64(s.Early) }),
		Cell: func(r row) string {
			if r.Early == 0 {
				return ""
			}
			return words.Count(float64(r.Early))
		}},
	{Name: "sleeps", Key: "samples", Spare: 8, Unit: words.Count,
		Value: figure(func(s *SleepSpan) float64 { return float64(s.Samples) })},
	{Key: "reason", Text: func(r row) string { return r.Reason }},
}

// Lines returns a line for each way and span. A way that is not available has one line with the reason.
func (w *Wake) Lines(*result.Document) [][]string { return table.Lines(w.all(), columns) }

func (w *Wake) all() (all []row) {
	for i := range w.Ways {
		way := &w.Ways[i]
		for k := range way.Spans {
			all = append(all, row{way, &way.Spans[k]})
		}
		if len(way.Spans) == 0 {
			all = append(all, row{SleepWay: way})
		}
	}
	return all
}

// Metrics returns the lateness of the ways for Prometheus, in seconds.
func (w *Wake) Metrics() []exposition.Family {
	slept := slices.DeleteFunc(w.all(), func(r row) bool { return r.SleepSpan == nil })
	return table.Metrics("timebench_wake_", slept, func(r row) []string {
		return []string{"way", r.ID, "span_seconds", words.Number(float64(r.SpanNS) / 1e9)}
	}, columns)
}

// Ticks reports whether the system has no high-resolution timers: the resolution is a tick, of about 1 ms at least, as
// CONFIG_HZ is 1000 at most. With high-resolution timers it is 1 ns.
func (t *Timers) Ticks() bool { return t.ResolutionNS >= 900_000 }

// idle returns the driver and the governor of the idle states.
func (t *Timers) idle() string {
	return strings.Join(words.Present(t.IdleDriver, t.IdleGovernor), ", ")
}

// facts returns the facts that are known. quota is the CPU quota, 0 without one.
func (t *Timers) facts(quota float64) []table.Fact {
	var states []string
	for _, s := range t.IdleStates {
		text := s.Name + " " + words.Duration(float64(s.LatencyNS)) + ", entered " + words.Thousands(s.Entered) + "×"
		if s.Disabled {
			text = s.Name + " disabled"
		}
		states = append(states, text)
	}
	duration := func(ns int64) string {
		if ns == 0 {
			return ""
		}
		return words.Duration(float64(ns))
	}
	resolution := duration(t.ResolutionNS)
	if t.Ticks() {
		resolution += ", a tick: no high-resolution timers"
	}
	limit := ""
	if quota > 0 {
		limit = words.ThreeDigits(quota) + " CPUs"
	}
	return slices.DeleteFunc([]table.Fact{
		{Name: "Timer slack", Value: duration(t.SlackNS)}, {Name: "Timer resolution", Value: resolution},
		{Name: "Timer device", Value: t.Device}, {Name: "Broadcast device", Value: t.BroadcastDevice},
		{Name: "Idle driver, governor", Value: t.idle()},
		{Name: "Idle states, exit latency", Value: strings.Join(states, "; ")},
		{Name: "Halt polling", Value: duration(t.HaltPollNS)}, {Name: "Preemption", Value: t.Preemption},
		{Name: "Isolated CPUs", Value: words.Numbers(t.IsolatedCPUs)}, {Name: "CPU quota", Value: limit},
	}, func(f table.Fact) bool { return f.Value == "" })
}
