package diff

import "fmt"

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

// A Change is one figure in both documents.
type Change struct {
	Clock string `json:"clock"`
	// ClockSource is set in an experiment with another clock source than the machine's own.
	ClockSource string `json:"clocksource,omitempty"`
	// Threads is the number of threads that read at once; 0 for latency.
	Threads int     `json:"threads,omitempty"`
	OldNS   float64 `json:"old_ns"`
	NewNS   float64 `json:"new_ns"`
	// Change is NewNS/OldNS - 1. Low and High bound it with at least the given
	// Confidence; all three are 0 if there are too few samples for that.
	Change     float64 `json:"change"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
	// Quiet is the change of the quiet cost, new/old - 1, which decides the verdict.
	Quiet float64 `json:"quiet_change"`
	// P is corrected for the number of comparisons.
	P       float64 `json:"p"`
	Verdict Verdict `json:"verdict"`
}

// Name returns the clock, with the clock source of an experiment.
func (c Change) Name() string { return clockName(c.Clock, c.ClockSource) }

func clockName(clock, source string) string {
	if source == "" {
		return clock
	}
	return clock + " under " + source
}

// Figure returns the name with the number of threads.
func (c Change) Figure() string { return figureName(c.Name(), c.Threads) }

func figureName(clock string, threads int) string {
	switch threads {
	case 0:
		return clock
	case 1:
		return clock + " with 1 thread"
	}
	return fmt.Sprintf("%s with %d threads", clock, threads)
}

// Latencies returns the changes of latency, in the order of the documents.
func (d *Diff) Latencies() []Change {
	return d.having(func(c Change) bool { return c.Threads == 0 })
}

// Throughputs returns the changes of the wall time of a read while several threads read.
func (d *Diff) Throughputs() []Change {
	return d.having(func(c Change) bool { return c.Threads > 0 })
}

// Untold returns the figures with too few samples for a verdict.
func (d *Diff) Untold() []Change {
	return d.having(func(c Change) bool { return c.Verdict == TooFew })
}

// SlowerThan returns the figures that are slower by more than the share.
func (d *Diff) SlowerThan(share float64) []Change {
	return d.having(func(c Change) bool { return c.Verdict == Slower && c.Quiet > share })
}

// UnsteadyAbove returns the unsteady figures whose median or quiet cost rose by more than the
// share.
func (d *Diff) UnsteadyAbove(share float64) []Change {
	return d.having(func(c Change) bool { return c.Verdict == Unsteady && max(c.Change, c.Quiet) > share })
}

func (d *Diff) having(property func(Change) bool) []Change {
	var some []Change
	for _, c := range d.Changes {
		if property(c) {
			some = append(some, c)
		}
	}
	return some
}
