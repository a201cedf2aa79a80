package runtimes

import (
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A systemClock is a clock that is read without a runtime, between the starts of the runtimes: a call and the clock
// that it reads have been measured on the same machine, busy or not, and by the same statistic.
type systemClock struct {
	SystemClock
	reader         clock.Reader
	readNS         float64
	levels, minima []float64
}

// open opens the clocks that are available. The error is that no thread can be started.
func (r *runner) open() error {
	verdicts := clock.KernelEntries(r.settings.Clocks)
	return thread.Run(thread.Any, func() {
		for i, c := range r.settings.Clocks {
			if reader, err := c.Open(); err == nil {
				of := SystemClock{ID: c.ID, KernelEntry: verdicts[i].Enters}
				r.clocks = append(r.clocks,
					&systemClock{SystemClock: of, reader: reader, readNS: observe.ReadNS(reader)})
			}
		}
	})
}

// read adds a sample to each clock.
func (r *runner) read() error {
	slice, n := Runtime{}.slice(), r.settings.slices(Runtime{})
	return thread.Run(thread.Any, func() {
		for _, c := range r.clocks {
			slicesNS := observe.TimeReads(c.reader, c.readNS, time.Duration(n)*slice, slice)
			if fastest := slices.Min(slicesNS); fastest > 0 && clock.Failure(c.reader) == nil {
				c.levels, c.minima = append(c.levels, level(slicesNS, slice)), append(c.minima, fastest)
			}
		}
	})
}

// systemClocks returns the clocks that were read.
func (r *runner) systemClocks() []SystemClock {
	all := []SystemClock{}
	for _, c := range r.clocks {
		if len(c.levels) > 0 {
			c.Latency = compare.LatencyOf(c.levels, c.minima)
			all = append(all, c.SystemClock)
		}
	}
	return all
}
