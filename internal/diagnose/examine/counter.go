package examine

import (
	"context"
	"slices"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/skew"
)

// AddCounter adds whether a program may read the CPU's counter, measured by m, to a document of costs; nothing if no
// counter was timed. It compares the CPUs by the counter alone, which takes a tenth of a second with few CPUs.
func AddCounter(ctx context.Context, d *result.Document, m *counter.Counter) {
	timed := func(c compare.Clock) bool { return c.Path == string(clock.CPU) && c.Latency != nil }
	clocks := slices.DeleteFunc(skew.DefaultClocks(), func(c clock.Clock) bool { return c.Path != clock.CPU })
	evidence := *d
	switch cpus := thread.Usable(); {
	case m == nil || !slices.ContainsFunc(compare.Of(d).Clocks, timed):
		return
	case len(cpus) > 1 && len(clocks) > 0:
		compared := skew.Run(ctx, clocks, skew.Settings{Time: skewTime, Brief: true, CPUs: cpus}, nil)
		evidence.Put(&compared)
	}
	addVerdict(d, &evidence, m)
}

// addVerdict adds a measurement of the counter to a document, with the verdict by the evidence in another; nil adds
// nothing.
func addVerdict(d, evidence *result.Document, m *counter.Counter) {
	if m == nil {
		return
	}
	diagnose.JudgeCounter(evidence, m)
	d.Put(m)
}
