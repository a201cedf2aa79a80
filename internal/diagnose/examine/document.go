package examine

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/runtimes"
)

// NewDocument returns the document of a run on this machine that ends now.
func NewDocument(tool result.Tool, facts result.Host, costs compare.Costs, settings result.Settings) *result.Document {
	facts.CPU.TSCHz = TSCHz(costs.Clocks)
	facts.Runtimes = runtimes.InPath()
	return &result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC().Truncate(time.Second),
		Tool: tool, Host: facts, Settings: settings, Sections: []result.Section{&costs},
	}
}

// Measured returns the document of a measurement in rounds, with warnings about disturbances.
func Measured(tool result.Tool, facts result.Host, measured measure.Result, settings result.Settings) *result.Document {
	document := NewDocument(tool, facts, measured.Costs, settings)
	document.Interrupted, document.Conditions = measured.Interrupted, &measured.Conditions
	document.Warnings = diagnose.Warnings(document)
	return document
}

func timeStampCounter() *clock.Clock {
	return situation.First(clock.Catalog(), func(c clock.Clock) bool { return c.ID == "RDTSC@cpu" })
}

// TSCHz returns the rate of the time stamp counter in Hz, from the run, or else measured for a tenth of a second. It is
// 0 without such a counter.
func TSCHz(measured []compare.Clock) float64 {
	c := timeStampCounter()
	if c == nil {
		return 0
	}
	for _, m := range measured {
		if m.ID == c.ID && m.TicksPerSecond > 0 {
			return math.Round(m.TicksPerSecond)
		}
	}
	return math.Round(observe.Hz(*c, 100*time.Millisecond))
}

// AfterChange returns the facts of a run. If the clock source changed during the run, it returns the clock source and
// the kernel log after the change.
func AfterChange(facts result.Host, measured measure.Result) result.Host {
	if len(measured.Conditions.ClockSources) < 2 {
		return facts
	}
	now := currentFacts()
	facts.ClockSource, facts.KernelLog = now.ClockSource, now.KernelLog
	return facts
}

var currentFacts = host.Facts // a variable so that tests can replace it

const tscRateTime = 150 * time.Millisecond // how long the rate of the TSC is measured idle, and again under load

// AddRates adds the rates of the time stamp counter, idle and under load.
func AddRates(cpu *result.CPU) {
	if c := timeStampCounter(); c != nil {
		asleep, loaded := observe.Rates(*c, tscRateTime, cpu.Usable)
		cpu.TSCAsleepHz, cpu.TSCLoadedHz = math.Round(asleep), math.Round(loaded)
	}
}
