package cmd

import (
	"strings"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
)

// clockSourceChanges records when the kernel changes its clock source during a run.
type clockSourceChanges struct {
	current func() string
	sources []string // in the order of their use
	checked time.Time
}

// currentClockSource is a variable because tests must not change the clock source of the machine.
var currentClockSource = host.CurrentClockSource

// recordClockSource returns a record that begins with the current clock source.
func recordClockSource() *clockSourceChanges {
	c := &clockSourceChanges{current: currentClockSource}
	c.check()
	return c
}

func (c *clockSourceChanges) check() {
	c.checked = time.Now()
	if source := c.current(); source != "" && (len(c.sources) == 0 || c.sources[len(c.sources)-1] != source) {
		c.sources = append(c.sources, source)
	}
}

// onProgress returns a progress function that checks the clock source once a second at most, and
// calls the next one unless that is nil.
func (c *clockSourceChanges) onProgress(next func(done, total time.Duration)) func(done, total time.Duration) {
	return func(done, total time.Duration) {
		if time.Since(c.checked) >= time.Second {
			c.check()
		}
		if next != nil {
			next(done, total)
		}
	}
}

// warnings checks a last time, and returns a warning if the clock source changed.
func (c *clockSourceChanges) warnings() []result.Warning {
	c.check()
	if len(c.sources) < 2 {
		return nil
	}
	return []result.Warning{{
		Kind:   "clocksource",
		Saw:    "the kernel's clock source changed during the run: " + strings.Join(c.sources, ", then "),
		Spoilt: "every clock of the system: the results are of two clock sources, or of the change between them",
		Advice: "run again; if the kernel demoted the clock source by itself, its log has the reason (dmesg | grep -i clocksource)",
	}}
}
