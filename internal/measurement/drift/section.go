package drift

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

// A Drift is the rate of each clock against a reference: the result of `timebench drift`.
type Drift struct {
	// Reference is the clock that the others were compared with.
	Reference string `json:"reference" is:"named"`
	// DurationNS is the time that the measurement took.
	DurationNS int64 `json:"duration_ns"`
	// LoadedFromNS is when the load on every CPU began, from the start of the run.
	LoadedFromNS int64 `json:"loaded_from_ns,omitempty"`
	// Clocks has an entry for each clock except the reference, each id once.
	Clocks []DriftedClock `json:"clocks" once:"id"`
}

// A DriftedClock is one clock compared with the reference.
type DriftedClock struct {
	// ID is the call and the path: RDTSC@cpu.
	ID string `json:"id" is:"named"`
	// Reason is why the clock could not be compared, or not over the whole run.
	Reason string `json:"reason,omitempty"`
	// NominalHz is the number of ticks per second that the clock reports, or that the kernel assumes. If absent,
	// rates are in Hz only.
	NominalHz float64 `json:"nominal_hz,omitempty"`
	// Asleep is the rate while the process slept between its readings; absent if there were too few.
	Asleep *DriftRate `json:"asleep,omitempty"`
	// Loaded is the rate while every CPU was kept busy.
	Loaded *DriftRate `json:"loaded,omitempty"`
	// Points are the offsets from the reference: at most 1000 in order of time, each by the tightest bracket of
	// its part of the run. If the clock stepped, they are from the longest part without a step.
	Points []DriftPoint `json:"points,omitempty"`
}

// A DriftRate is the slope of a least-squares line through many bracketed readings of two clocks.
type DriftRate struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// PPM is how much faster than the reference the clock runs; absent if the nominal rate is unknown.
	PPM *float64 `json:"ppm,omitempty" is:"signed"`
	// Hz is the number of ticks of the clock per second of the reference.
	Hz float64 `json:"hz"`
	// IntervalPPM is half the width of the confidence interval of the rate.
	IntervalPPM float64 `json:"interval_ppm"`
	// Confidence is that of the interval.
	Confidence float64 `json:"confidence" is:"share"`
	// Freedom is the degrees of freedom of Student's t distribution: the number of independent readings, less 2.
	// Absent in old documents.
	Freedom float64 `json:"freedom,omitempty"`
	// ResidualNS is the root mean square distance of the readings from the line.
	ResidualNS float64 `json:"residual_ns"`
	// WorstResidualNS is the largest distance.
	WorstResidualNS float64 `json:"worst_residual_ns"`
	// Readings is the number of readings that the line is fitted to.
	Readings int `json:"readings"`
	// SpanNS is the time from the first to the last of them.
	SpanNS int64 `json:"span_ns"`
}

// A DriftPoint is one bracketed reading.
type DriftPoint struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// AtNS is the reference's time since the start of the run.
	AtNS int64 `json:"at_ns"`
	// OffsetNS is the offset from the reference, relative to the first point; negative if the clock was behind. If
	// the nominal rate is unknown, it is relative to the measured rate.
	OffsetNS float64 `json:"offset_ns" is:"signed"`
}

// key is the key of the section in a document.
const key = "drift"

// Kind is the kind of this section.
var Kind = section.Kind{Kind: result.Kind{
	Key: key,
	New: func() result.Section { return new(Drift) },
}, Command: "drift", Pictures: pictures, Compare: section.Comparing(key, changesTitle, changesOf)}

// Of returns the section of a document; nil if it has none.
func Of(d *result.Document) *Drift { return result.Of[*Drift](d) }

// Key returns the key of the section in a document.
func (*Drift) Key() string { return key }

// Check reports points that are not in the order of time.
func (d *DriftedClock) Check(c *result.Checker) {
	for i := 1; i < len(d.Points); i++ {
		if now, before := d.Points[i].AtNS, d.Points[i-1].AtNS; now < before {
			c.Fail(fmt.Sprintf("points[%d].at_ns", i), fmt.Sprintf("is %d; it must not be before the %d of the point before", now, before))
		}
	}
}
