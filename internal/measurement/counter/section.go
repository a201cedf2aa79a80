// Package counter is the section of a document on whether a program may read the CPU's counter itself, and at which
// frequency. It measures the frequency; package diagnose judges the evidence.
package counter

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/words"
)

// The verdicts, and the conclusions of reasons.
const (
	Yes       = "yes"
	No        = "no"
	NotProven = "not-proven"
)

// Counter is whether a program may read the CPU's counter itself.
type Counter struct {
	// Clock is the counter: RDTSC@cpu.
	Clock string `json:"clock" is:"named"`
	// Verdict is no if one reason is against it, yes if all are for it. It is the conclusion of the first reason.
	Verdict string `json:"verdict" is:"yes|no|not-proven"`
	// HZ is its frequency.
	HZ float64 `json:"hz,omitempty"`
	// HZBound is the error bound, if measured.
	HZBound float64 `json:"hz_bound,omitempty"`
	// Reference is the clock that measured it.
	Reference string `json:"reference,omitempty"`
	// OfKernel is whether the reference is this counter too: hz is the rate that the kernel assumes.
	OfKernel bool `json:"of_kernel,omitempty"`
	// Sources are the other sources of the frequency.
	Sources []CounterRate `json:"sources" once:"name"`
	// Reasons are the evidence, each with its conclusion.
	Reasons []CounterReason `json:"reasons"`
}

// A CounterRate is the frequency of the counter by one source.
type CounterRate struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// Name is its source: CPUID 15H.
	Name string `json:"name" is:"named"`
	// HZ is the frequency.
	HZ float64 `json:"hz"`
	// Nominal is whether it may differ by 10 %, others by 500 ppm.
	Nominal bool `json:"nominal,omitempty"`
	// PPM is how much higher it is than hz of the counter.
	PPM float64 `json:"ppm,omitempty" is:"signed"`
}

// A CounterReason is one piece of evidence.
type CounterReason struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// Evidence is what was found.
	Evidence string `json:"evidence"`
	// Conclusion is what it says about reading the counter.
	Conclusion string `json:"conclusion" is:"yes|no|not-proven"`
}

// NTP corrects a clock by at most 500 ppm (adjtimex(2)). PostgreSQL accepts a frequency that differs from its own
// measurement by 10 % (src/common/instr_time.c).
const (
	maxPPM        = 500
	maxNominalPPM = 100_000
)

// Contradicts reports whether a source differs from the frequency of the counter by more than it may.
func (c *Counter) Contradicts(r CounterRate) bool {
	most := words.Either(r.Nominal, float64(maxNominalPPM), maxPPM)
	return math.Abs(r.PPM) > most+c.boundPPM()
}

func (c *Counter) boundPPM() float64 { return c.HZBound / max(c.HZ, 1) * 1e6 }

// Conclude completes the differences of the sources and the verdict, and orders the reasons: the decisive one is first.
func (c *Counter) Conclude() {
	for i := range c.Sources {
		if c.HZ > 0 {
			c.Sources[i].PPM = (c.Sources[i].HZ/c.HZ - 1) * 1e6
		}
	}
	slices.SortStableFunc(c.Reasons, func(a, b CounterReason) int {
		worst := []string{No, NotProven, Yes}
		return slices.Index(worst, a.Conclusion) - slices.Index(worst, b.Conclusion)
	})
	c.Verdict = NotProven
	if len(c.Reasons) > 0 {
		c.Verdict = c.Reasons[0].Conclusion
	}
}

// Answer returns the verdict in a sentence, with the frequency or the first reason against it.
func (c *Counter) Answer() string {
	why := ""
	switch {
	case c.Verdict == Yes:
		why = c.Frequency()
	case len(c.Reasons) > 0:
		why = c.Reasons[0].Evidence
	}
	return "May a program read the CPU's counter? " + strings.Join(words.Present(c.Word(), why), ": ") + "."
}

// Word returns the verdict as a sentence has it.
func (c *Counter) Word() string {
	return cmp.Or(map[string]string{Yes: "Yes", No: "No"}[c.Verdict], "Not proven")
}

// Frequency returns the frequency with its bound: 2,596.152 MHz ± 0.4 ppm; "" if it is unknown.
func (c *Counter) Frequency() string {
	const roundedHz = 500 // by MHz
	switch {
	case c.HZ == 0:
		return ""
	case c.OfKernel:
		return MHz(c.HZ) + " as the kernel counts"
	}
	return fmt.Sprintf("%s ± %s ppm", MHz(c.HZ), words.ThreeDigits(max(c.boundPPM(), roundedHz/c.HZ*1e6)))
}

// MHz returns a frequency: 2,596.152 MHz.
func MHz(hz float64) string { return words.Grouped(hz/1e6, 3) + " MHz" }

// Kind is the kind of this section. Doctor and compare add it.
var Kind = section.Kind{New: func() result.Section { return new(Counter) },
	Compare: section.Comparing(title, changesOf)}

// Of returns the section of a document, or nil.
func Of(d *result.Document) *Counter { return result.Of[*Counter](d) }

// Key returns the key of the section in a document.
func (*Counter) Key() string { return "counter" }
