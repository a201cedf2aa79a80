package cmd

import (
	"strings"
	"time"

	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
)

// A sourceWatch sees the kernel change its clock source during a run.
type sourceWatch struct {
	current func() string
	sources []string // as they followed each other
	looked  time.Time
}

// currentClockSource is replaced by tests: a kernel's is not to be changed by them.
var currentClockSource = host.CurrentClockSource

func watchSources() *sourceWatch {
	w := &sourceWatch{current: currentClockSource}
	w.look()
	return w
}

func (w *sourceWatch) look() {
	w.looked = time.Now()
	if source := w.current(); source != "" && (len(w.sources) == 0 || w.sources[len(w.sources)-1] != source) {
		w.sources = append(w.sources, source)
	}
}

// during returns a function that looks every second at most, and tells progress where
// tell is not nil.
func (w *sourceWatch) during(tell func(done, total time.Duration)) func(done, total time.Duration) {
	return func(done, total time.Duration) {
		if time.Since(w.looked) >= time.Second {
			w.look()
		}
		if tell != nil {
			tell(done, total)
		}
	}
}

// warnings looks a last time, and returns a warning where the clock source changed; none
// where it did not.
func (w *sourceWatch) warnings() []result.Warning {
	w.look()
	if len(w.sources) < 2 {
		return nil
	}
	return []result.Warning{{
		Kind:   "clocksource",
		Saw:    "the kernel's clock source changed during the run: " + strings.Join(w.sources, ", then "),
		Spoilt: "every clock of the system: what was seen is of two clock sources, or of the change",
		Advice: "run again; if the kernel demoted the clock source by itself, its log says why (dmesg | grep -i clocksource)",
	}}
}

// afterChange returns the facts as they are after a run in which the clock source changed:
// which one is in use now, and what the kernel's log says of it. Without a change they stay.
func afterChange(facts result.Host, measured measure.Result) result.Host {
	if len(measured.Conditions.ClockSources) < 2 {
		return facts
	}
	now := currentFacts()
	facts.ClockSource, facts.KernelLog = now.ClockSource, now.KernelLog
	return facts
}

// currentFacts is replaced by tests.
var currentFacts = host.Facts
