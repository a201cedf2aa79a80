package wake

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A SleepWay is one way to sleep, of the system or of a runtime.
type SleepWay struct {
	// ID is call and path, or runtime: clock_nanosleep@syscall, time.sleep@python3.
	ID string `json:"id" is:"named"`
	// Call is the call as its manual spells it.
	Call string `json:"call"`
	// Available is whether it could be measured.
	Available bool `json:"available"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// Spans has an entry for each length of the sleep.
	Spans []SleepSpan `json:"spans,omitempty" once:"span_ns"`
}

// A SleepSpan is the lateness of sleeps of one length: the time of the wake-up minus the deadline.
type SleepSpan struct {
	// SpanNS is the length. Wake adds up to half of it, 1 ms at most, to each deadline.
	SpanNS int64 `json:"span_ns" is:"positive"`
	// Samples is the number of sleeps.
	Samples int `json:"samples" is:"positive"`
	// Early is the number of sleeps that ended before the deadline.
	Early int `json:"early"`
	// MinLateNS is the minimum; negative: early.
	MinLateNS float64 `json:"min_late_ns" is:"signed"`
	// MedianLateNS is the median.
	MedianLateNS float64 `json:"median_late_ns" is:"signed"`
	// LowNS is the lower end of its interval; absent below 6 sleeps.
	LowNS float64 `json:"low_ns,omitempty" is:"signed"`
	// HighNS is the upper end of its interval; absent below 6 sleeps.
	HighNS float64 `json:"high_ns,omitempty" is:"signed"`
	// P99LateNS is the 99th percentile; absent below 100 sleeps.
	P99LateNS float64 `json:"p99_late_ns,omitempty" is:"signed"`
	// P999LateNS is the 99.9th percentile; absent below 10,000 sleeps.
	P999LateNS float64 `json:"p99_9_late_ns,omitempty" is:"signed"`
	// MaxLateNS is the maximum.
	MaxLateNS float64 `json:"max_late_ns" is:"signed"`
	// WorstCPU is the CPU with the highest median.
	WorstCPU *int `json:"worst_cpu,omitempty"`
	// WorstCPUMedianNS is the median on that CPU.
	WorstCPUMedianNS float64 `json:"worst_cpu_median_ns,omitempty" is:"signed"`
	// Layers are the parts of the median, which add up to it; absent if they are unknown.
	Layers []SleepLayer `json:"layers,omitempty" once:"name"`
	// PartMediansNS are the medians of at most 50 parts of the measurement, or of the starts of a runtime.
	PartMediansNS []float64 `json:"part_medians_ns" is:"signed"`
	// Runs has the number of parts of each run, if there are several.
	Runs []int `json:"runs,omitempty" is:"positive"`
	// SystemCall is the system call that waits: epoll_wait.
	SystemCall string `json:"system_call,omitempty"`
	// SystemCallNS is how long it waits at most.
	SystemCallNS int64 `json:"system_call_ns,omitempty"`
	// Deadline is whether it has a deadline; system_call_ns remained of it.
	Deadline bool `json:"system_call_deadline,omitempty"`
	// SystemCallBy is the method, or why it is unknown.
	SystemCallBy string `json:"system_call_by,omitempty"`
}

// The names of layers.
const (
	Runtime     = "runtime"
	Rounding    = "rounding"
	TimerSlack  = "timer slack"
	LeavingIdle = "leaving idle"
	TheRest     = "the rest"
)

// A SleepLayer is a part of the median lateness: by how much it fell without the cause.
type SleepLayer struct {
	// Name is its cause; the rest is interrupt, wake-up and scheduler.
	Name string `json:"name" is:"runtime|rounding|timer slack|leaving idle|the rest"`
	// NS is its part.
	NS float64 `json:"ns"`
}

// Check reports more early sleeps than sleeps, figures that are out of order, and parts that do not belong to the runs.
func (s *SleepSpan) Check(c *result.Checker) {
	c.Part("early", int64(s.Early), int64(s.Samples), "samples")
	if s.MinLateNS > s.MedianLateNS || s.MedianLateNS > s.MaxLateNS || s.P99LateNS != 0 && s.P99LateNS > s.MaxLateNS {
		c.Fail("median_late_ns", "is not between the minimum and the maximum")
	}
	compare.CheckRuns(c, s.Runs, s.PartMediansNS)
}

// The min numbers of sleeps for an interval of the median, and for percentiles.
const (
	leastForInterval = 6
	leastForP99      = 100
	leastForP999     = 10_000
)

// NewSpan returns the figures of sleeps in parts, such as of a time or of a start, each with at least one.
func NewSpan(span time.Duration, parts [][]float64) SleepSpan {
	all := slices.Concat(parts...)
	of := stats.Summarize(all)
	s := SleepSpan{SpanNS: int64(span), Samples: len(all), MinLateNS: of.Min, MedianLateNS: of.Median, LowNS: of.Low,
		HighNS: of.High, MaxLateNS: slices.Max(all)}
	for _, part := range parts {
		s.PartMediansNS = append(s.PartMediansNS, stats.Median(part))
	}
	for _, ns := range all {
		if ns < 0 {
			s.Early++
		}
	}
	if len(all) >= leastForP99 {
		s.P99LateNS = stats.Quantile(0.99, all)
	}
	if len(all) >= leastForP999 {
		s.P999LateNS = stats.Quantile(0.999, all)
	}
	return s
}

// A Row is a way with one of its spans; without one, why it is not available.
type Row struct {
	*SleepWay
	*SleepSpan
}

// Name returns the way and the length: time.sleep@python3, 1 ms.
func (r Row) Name() string { return r.ID + ", " + words.Duration(float64(r.SpanNS)) }

// Rows returns each span of the ways.
func Rows(ways []SleepWay) (all []Row) {
	for i := range ways {
		for k := range ways[i].Spans {
			all = append(all, Row{&ways[i], &ways[i].Spans[k]})
		}
	}
	return all
}

// Spans returns the lengths of the sleeps of all ways, the shortest first.
func Spans(ways []SleepWay) []int64 {
	all := map[int64]bool{}
	for _, r := range Rows(ways) {
		all[r.SpanNS] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// ByLateness returns the ways that slept for a span, the ways with the least median first.
func ByLateness(ways []SleepWay, spanNS int64) []Row {
	all := slices.DeleteFunc(Rows(ways), func(r Row) bool { return r.SpanNS != spanNS })
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(a.MedianLateNS, b.MedianLateNS) })
	return all
}

// EarlyFaults returns a sentence for each way and span with sleeps that ended early.
func EarlyFaults(ways []SleepWay) (faults []string) {
	for _, r := range Rows(ways) {
		if r.Early > 0 {
			faults = append(faults, fmt.Sprintf("%s ends early: %s of %s of %s, by up to %s.", r.ID, words.Thousands(int64(r.Early)),
				words.Plural(r.Samples, "sleep"), words.Duration(float64(r.SpanNS)), words.Duration(-r.MinLateNS)))
		}
	}
	return faults
}

// Wording is what a diff calls the ways and their lateness.
var Wording = compare.Wording{Title: title, Subject: "Way", Figure: "Time after the deadline", Unit: "ns"}

// Subjects returns a subject for each way and span, under this name of the benchmark. A way that ends early has no cost
// to compare.
func Subjects(d *result.Document, ways []SleepWay, benchmark string) (all []compare.Subject) {
	contended := compare.ContendedFrom(d.Warnings, d.Host.CPU.Usable)
	for _, r := range Rows(ways) {
		of := compare.Subject{Name: r.Name(), Benchmark: benchmark, ContendedFrom: contended}
		if len(r.PartMediansNS) > 0 && slices.Min(r.PartMediansNS) > 0 {
			of.Latency = compare.LatencyOf(r.PartMediansNS, nil)
			of.Latency.Runs = r.Runs
		} else {
			of.Reason = "it ends early"
		}
		all = append(all, of)
	}
	return all
}

// JoinWays returns ways with the spans of all runs. Each span has the figures of the run with the median lateness, the
// extremes and the parts of all runs.
func JoinWays(ways []SleepWay, runs ...[]SleepWay) []SleepWay {
	spans := map[string][]SleepSpan{}
	for _, r := range Rows(slices.Concat(runs...)) {
		spans[r.Name()] = append(spans[r.Name()], *r.SleepSpan)
	}
	ways = slices.Clone(ways)
	for i := range ways {
		ways[i].Spans = slices.Clone(ways[i].Spans)
		for k, s := range ways[i].Spans {
			ways[i].Spans[k] = joinSpans(spans[Row{&ways[i], &s}.Name()])
		}
	}
	return ways
}

func joinSpans(runs []SleepSpan) SleepSpan {
	byMedian := slices.SortedFunc(slices.Values(runs),
		func(a, b SleepSpan) int { return cmp.Compare(a.MedianLateNS, b.MedianLateNS) })
	joined := byMedian[(len(runs)-1)/2]
	joined.Samples, joined.Early = 0, 0
	var parts []*compare.Latency
	for _, s := range runs {
		joined.Samples, joined.Early = joined.Samples+s.Samples, joined.Early+s.Early
		joined.MinLateNS = min(joined.MinLateNS, s.MinLateNS)
		joined.MaxLateNS = max(joined.MaxLateNS, s.MaxLateNS)
		parts = append(parts, &compare.Latency{SamplesNS: s.PartMediansNS, Runs: s.Runs})
	}
	all := compare.JoinLatency(parts)
	joined.PartMediansNS, joined.Runs = all.SamplesNS, all.Runs
	return joined
}

// LatenessColumns returns the columns of the lateness of a row, with others before the numbers of sleeps; of returns
// nil without one.
func LatenessColumns[T any](of func(T) *SleepSpan, others ...table.Column[T]) []table.Column[T] {
	figure := table.Within(of, table.Unknown)
	late := func(name, key string, spare int, value func(*SleepSpan) float64) table.Column[T] {
		return table.Column[T]{Name: name, Key: key + "_late_ns", Spare: spare, Unit: words.SignedDuration, Value: figure(value),
			Metric: key + "_late_seconds", Help: "The " + name + " of the time from the deadline of a sleep to the wake-up."}
	}
	return slices.Concat([]table.Column[T]{
		{Key: "span_ns", Value: figure(func(s *SleepSpan) float64 { return float64(s.SpanNS) })},
		late("min", "min", 9, func(s *SleepSpan) float64 { return s.MinLateNS }),
		late("median", "median", 0, func(s *SleepSpan) float64 { return s.MedianLateNS }),
		{Key: "low_late_ns", Value: figure(func(s *SleepSpan) float64 { return table.Known(s.LowNS) })},
		{Key: "high_late_ns", Value: figure(func(s *SleepSpan) float64 { return table.Known(s.HighNS) })},
		late("p99", "p99", 2, func(s *SleepSpan) float64 { return table.Known(s.P99LateNS) }),
		late("p99.9", "p99_9", 7, func(s *SleepSpan) float64 { return table.Known(s.P999LateNS) }),
		late("max", "max", 4, func(s *SleepSpan) float64 { return s.MaxLateNS }),
	}, others, []table.Column[T]{
		{Name: "early", Key: "early", Metric: "early_sleeps", Help: "Number of sleeps that ended before their deadline.",
			Value: figure(func(s *SleepSpan) float64 { return float64(s.Early) }),
			Cell: table.Within(of, "")(func(s *SleepSpan) string {
				if s.Early == 0 {
					return ""
				}
				return words.Count(float64(s.Early))
			})},
		{Name: "sleeps", Key: "samples", Spare: 8, Unit: words.Count,
			Value: figure(func(s *SleepSpan) float64 { return float64(s.Samples) })},
	})
}
