package cmd

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
)

// loadResult returns the document that a command line names.
func loadResult(name string) (*result.Document, error) {
	if name == "" {
		return nil, errors.New("the name of a result is empty; name a folder or a file")
	}
	return sections.Load(name)
}

// newDocument is the document of a run on this machine that ended now.
func newDocument(facts result.Host, clocks []result.Clock, settings result.Settings) *result.Document {
	facts.CPU.TSCHz = tscHz(clocks)
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC().Truncate(time.Second),
		Tool: tool(), Host: facts, Settings: settings, Clocks: clocks,
	}
}

// measuredDocument is the document of what was measured in rounds, with what may have
// spoilt it.
func measuredDocument(facts result.Host, measured measure.Result, settings result.Settings) *result.Document {
	document := newDocument(facts, measured.Clocks, settings)
	document.Interrupted, document.FloorNS, document.Conditions = measured.Interrupted, measured.FloorNS, &measured.Conditions
	document.Warnings = diagnose.Noise(document)
	return document
}

// timeStampCounter is the clock that tells the TSC's rate; nil where there is none.
func timeStampCounter() *clock.Clock {
	all := clock.Catalog()
	i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == "RDTSC@cpu" })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// tscHz returns the rate of the time stamp counter in whole ticks a second: what
// a run measured, or else what a tenth of a second shows; 0 where there is none.
func tscHz(measured []result.Clock) float64 {
	c := timeStampCounter()
	if c == nil {
		return 0
	}
	for _, m := range measured {
		if m.ID == c.ID && m.TicksPerSecond > 0 {
			return wholeHz(m.TicksPerSecond)
		}
	}
	return wholeHz(measure.Hz(*c, 100*time.Millisecond))
}

func wholeHz(hz float64) float64 { return math.Round(hz) }
