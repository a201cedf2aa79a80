package cmd

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/sections"
)

// loadResult returns the document in the file or folder of a command line.
func loadResult(name string) (*result.Document, error) {
	if name == "" {
		return nil, errors.New("the name of a result is empty; name a folder or a file")
	}
	return sections.Load(name)
}

// newDocument returns the document of a run on this machine that ends now.
func newDocument(facts result.Host, costs compare.Costs, settings result.Settings) *result.Document {
	facts.CPU.TSCHz = tscHz(costs.Clocks)
	facts.Runtimes = runtimes.InPath()
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC().Truncate(time.Second),
		Tool: tool(), Host: facts, Settings: settings, Sections: []result.Section{&costs},
	}
}

// measuredDocument returns the document of a measurement in rounds, with warnings about
// disturbances.
func measuredDocument(facts result.Host, measured measure.Result, settings result.Settings) *result.Document {
	document := newDocument(facts, compare.Costs{FloorNS: measured.FloorNS, Conditions: &measured.Conditions, Clocks: measured.Clocks}, settings)
	document.Interrupted = measured.Interrupted
	document.Warnings = diagnose.Noise(document)
	return document
}

// timeStampCounter returns the clock for the rate of the TSC; nil if this build has none.
func timeStampCounter() *clock.Clock {
	all := clock.Catalog()
	i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == "RDTSC@cpu" })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// tscHz returns the rate of the time stamp counter in Hz: as the run measured it, or else
// measured for a tenth of a second. It is 0 if there is no such counter.
func tscHz(measured []compare.Clock) float64 {
	c := timeStampCounter()
	if c == nil {
		return 0
	}
	for _, m := range measured {
		if m.ID == c.ID && m.TicksPerSecond > 0 {
			return wholeHz(m.TicksPerSecond)
		}
	}
	return wholeHz(observe.Hz(*c, 100*time.Millisecond))
}

func wholeHz(hz float64) float64 { return math.Round(hz) }
