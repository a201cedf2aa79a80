package drift

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

// Drift is the rate of each clock against a reference.
type Drift struct {
	// Reference is the clock that the others were compared with.
	Reference string `json:"reference" is:"named"`
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// LoadedFromNS is the start of the load.
	LoadedFromNS int64 `json:"loaded_from_ns,omitempty"`
	// Clocks has an entry for each clock except the reference, each id once.
	Clocks []DriftedClock `json:"clocks" once:"id"`
}

// A DriftedClock is one clock compared with the reference.
type DriftedClock struct {
	// ID is call and path: CLOCK_MONOTONIC@vdso.
	ID string `json:"id" is:"named"`
	// Reason is why something is missing, or what failed.
	Reason string `json:"reason,omitempty"`
	// NominalHz is the reported rate, or the kernel's.
	NominalHz float64 `json:"nominal_hz,omitempty"`
	// Idle is the rate while the process slept between its readings; absent if there were too few.
	Idle *DriftRate `json:"idle,omitempty"`
	// Loaded is the same under load.
	Loaded *DriftRate `json:"loaded,omitempty"`
	// Points are the offsets from the reference: at most 1000 in order of time, each by the tightest bracket of
	// its part of the run. If the clock stepped, they are from the longest part without a step.
	Points []DriftPoint `json:"points,omitempty"`
}

// A DriftRate is the slope of a least-squares line through readings of two clocks.
type DriftRate struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// PPM is how much faster it runs.
	PPM *float64 `json:"ppm,omitempty" is:"signed"`
	// Hz is the number of ticks per second of the reference.
	Hz float64 `json:"hz"`
	// IntervalPPM is half the width of its interval.
	IntervalPPM float64 `json:"interval_ppm"`
	// Confidence is the confidence of the interval.
	Confidence float64 `json:"confidence" is:"share"`
	// ResidualNS is the RMS distance from the line.
	ResidualNS float64 `json:"residual_ns"`
	// WorstResidualNS is the largest distance.
	WorstResidualNS float64 `json:"worst_residual_ns"`
	// Readings is their number.
	Readings int `json:"readings"`
	// SpanNS is the time from the first to the last.
	SpanNS int64 `json:"span_ns"`
}

// A DriftPoint is one of at most 1000 readings.
type DriftPoint struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// AtNS is the reference's time since the start.
	AtNS int64 `json:"at_ns"`
	// OffsetNS is the offset since the first point; negative: behind.
	OffsetNS float64 `json:"offset_ns" is:"signed"`
}

// Kind is the kind of this section.
var Kind = section.Kind{New: func() result.Section { return new(Drift) }, Command: "drift", Pictures: pictures,
	Compare: section.Comparing(changesTitle, changesOf)}

// Of returns the section of a document, or nil.
func Of(d *result.Document) *Drift { return result.Of[*Drift](d) }

// Key returns the key of the section in a document.
func (*Drift) Key() string { return "drift" }

// Check reports points that are not in the order of time.
func (d *DriftedClock) Check(c *result.Checker) {
	for i := 1; i < len(d.Points); i++ {
		if now, before := d.Points[i].AtNS, d.Points[i-1].AtNS; now < before {
			c.Fail(fmt.Sprintf("points[%d].at_ns", i), fmt.Sprintf("is %d; it must not be before the %d of the point before", now, before))
		}
	}
}
