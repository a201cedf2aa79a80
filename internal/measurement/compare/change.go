package compare

import (
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/words"
)

// A Verdict is what diff concludes about a figure.
type Verdict string

// The verdicts.
const (
	Slower   Verdict = "slower"
	Faster   Verdict = "faster"
	Unsteady Verdict = "unsteady" // the runs differ by much, but one of them changed while it lasted
	Same     Verdict = "same"     // no significant difference
	TooFew   Verdict = "too few"  // too few samples for a verdict
)

// Changes are the changes of the costs of clocks, or of calls, between two documents. The changes of clocks are at the
// top of a diff.
type Changes struct {
	section.Coverage
	// Comparisons is the number of Changes.
	Comparisons int `json:"comparisons"`
	// Changes has an entry for each figure that both documents have.
	Changes []Change `json:"changes"`
	// Lost are the figures that the new document lacks, of subjects that it has:
	// "CLOCK_MONOTONIC@vdso with 2 threads".
	Lost []string `json:"lost,omitempty"`
}

// A Change is one figure in both documents.
type Change struct {
	// Subject is the clock or the call.
	Subject string `json:"subject"`
	// ClockSource is set in an experiment with another clock source than the machine's own.
	ClockSource string `json:"clocksource,omitempty"`
	// Threads is the number of threads that read at once; 0 for latency.
	Threads int `json:"threads,omitempty"`
	// OldRuns and NewRuns are the numbers of runs.
	OldRuns int `json:"old_runs"`
	NewRuns int `json:"new_runs"`
	// OldNS and NewNS are the costs of a read: the lowest level of the samples of a run, and the median
	// of the runs. With several runs their ratio may differ a little from Change.
	OldNS float64 `json:"old_ns"`
	NewNS float64 `json:"new_ns"`
	// Change is new/old - 1 of these costs: the median over all pairs of an old and a new run. Low and
	// High bound it with the given Confidence; all three are 0 with fewer than five runs on a side.
	Change     float64 `json:"change"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
	// MedianChange is new/old - 1 of the medians of all samples.
	MedianChange float64 `json:"median_change"`
	// Floor is the smallest change that has a verdict, as a share.
	Floor   float64 `json:"floor"`
	Verdict Verdict `json:"verdict"`
	// Layers are the parts of a read, if the latency differs and both documents have the same parts.
	Layers []LayerChange `json:"layers,omitempty"`
}

// Name returns the subject, with the clock source of an experiment.
func (c Change) Name() string { return nameUnder(c.Subject, c.ClockSource) }

func nameUnder(subject, source string) string {
	if source == "" {
		return subject
	}
	return subject + " under " + source
}

// Figure returns the name with the number of threads.
func (c Change) Figure() string { return figureName(c.Name(), c.Threads) }

func figureName(name string, threads int) string {
	if threads == 0 {
		return name
	}
	return name + " with " + words.Plural(threads, "thread")
}

// Costs returns d itself. The changes of another section have this method if they are changes of costs.
func (d *Changes) Costs() *Changes { return d }

// Count returns the number of figures, and the number of slower or faster figures.
func (d *Changes) Count() (all, changed int) {
	return len(d.Changes), len(d.having(func(c Change) bool { return c.Verdict == Slower || c.Verdict == Faster }))
}

// Add adds the changes of another section.
func (d *Changes) Add(of *Changes) {
	d.Comparisons += of.Comparisons
	d.Changes = append(d.Changes, of.Changes...)
	d.OnlyOld, d.OnlyNew, d.Lost = append(d.OnlyOld, of.OnlyOld...), append(d.OnlyNew, of.OnlyNew...),
		append(d.Lost, of.Lost...)
}

// Latencies returns the changes of latency, in the order of the documents.
func (d *Changes) Latencies() []Change {
	return d.having(func(c Change) bool { return c.Threads == 0 })
}

// Gate returns the figures that are slower by more than the share, and by verdict the figures that may be: they have
// too few samples, or rose by more than the share in runs that are unsteady, or the same because they are too few or
// contradict each other.
func (d *Changes) Gate(above float64) (slower []string, unjudged map[Verdict][]string) {
	unjudged = map[Verdict][]string{}
	for _, c := range d.Changes {
		rose := c.Change > above
		switch {
		case c.Verdict == Slower && rose:
			slower = append(slower, c.Figure())
		case c.Verdict == TooFew, c.Verdict == Unsteady && (rose || c.MedianChange > above),
			c.Verdict == Same && rose && (c.Change < c.Floor || c.Change >= section.Usual.MinChange):
			unjudged[c.Verdict] = append(unjudged[c.Verdict], c.Figure())
		}
	}
	return slower, unjudged
}

func (d *Changes) having(property func(Change) bool) []Change {
	var some []Change
	for _, c := range d.Changes {
		if property(c) {
			some = append(some, c)
		}
	}
	return some
}
