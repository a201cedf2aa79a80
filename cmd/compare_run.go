package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/terminal"
)

// measure measures with the current clock source, and then with each of the others. It returns
// the document of what is complete when ctx ends, and nil if nothing can be measured. The error
// says why a part is missing.
func (plan comparePlan) measure(ctx context.Context, stderr io.Writer) (*result.Document, error) {
	if plan.flags.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, plan.flags.limit)
		defer cancel()
	}
	stop, whole := func(bool) {}, false
	defer func() { stop(whole) }()
	measureWith := func(ctx context.Context, source string) (measure.Result, error) {
		stop(true) // of the clock source before
		var update func(done, total time.Duration)
		update, stop = terminal.Progress(stderr, plan.flags.quiet, plan.announcement(source))
		return measure.Repeat(ctx, plan.flags.repeat, plan.clocks, plan.settings, update)
	}
	// The guardian starts first: without it nothing would be switched, and a measurement of
	// minutes would end in a refusal.
	var sw *clocksource.Switch
	if len(plan.otherSources) > 0 {
		var err error
		if sw, err = clocksource.Hold(clocksource.Sysfs); err != nil {
			return nil, err
		}
		defer func() { _ = sw.Restore() }()
	}
	frequency := counter.Begin()
	measured, err := measureWith(ctx, "")
	if err != nil {
		return nil, err
	}
	ofCounter := frequency.End()
	facts := examine.AfterChange(plan.facts, measured)
	var experiments []compare.Experiment
	var failed error
	if sw != nil {
		var ended bool
		experiments, ended, failed = experiment(ctx, sw, plan.otherSources, measureWith)
		measured.Interrupted = measured.Interrupted || ended && errors.Is(ctx.Err(), context.Canceled)
	}
	if !measured.Interrupted {
		examine.AddRates(&facts.CPU)
	}
	if measured.Runs > 1 {
		plan.recorded.Repeat = measured.Runs // a signal or the limit may have ended it early
	}
	document := examine.Measured(tool(), facts, measured, plan.recorded)
	compare.Into(document).OtherClockSources = experiments
	if !measured.Interrupted {
		examine.AddCounter(ctx, document, ofCounter)
	}
	addNoise(document)
	document.Findings = diagnose.Findings(document)
	failed = errors.Join(measured.EndedBy, failed)
	whole = failed == nil && !measured.Interrupted
	return document, failed
}

// announcement returns what is measured, for the line above the progress bar. source is the
// clock source that was switched to, empty for the current one.
func (plan comparePlan) announcement(source string) string {
	text := fmt.Sprintf("Measuring %s with %s", words.Plural(len(plan.clocks), "clock"), threadRange(plan.settings))
	if source != "" {
		text += " under clock source " + source
	}
	if plan.flags.repeat > 1 {
		text += fmt.Sprintf(", in %d runs", plan.flags.repeat)
	}
	return text
}

// threadRange returns the first and the last number of threads: there may be many between.
func threadRange(s measure.Settings) string {
	noun := "thread"
	if s.Processes {
		noun = "process"
	}
	last := s.Threads[len(s.Threads)-1]
	if len(s.Threads) > 1 {
		return fmt.Sprintf("%d to %s", s.Threads[0], words.Plural(last, noun))
	}
	return words.Plural(last, noun)
}
