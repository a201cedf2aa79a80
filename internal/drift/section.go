package drift

import (
	"fmt"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
)

// A Drift is how fast clocks run against a reference: what `timebench drift` saw.
type Drift struct {
	// Reference is the id of the clock that the others were held against.
	Reference string `json:"reference"`
	// DurationNS is how long was measured.
	DurationNS int64 `json:"duration_ns"`
	// LoadedFromNS is when every CPU began to be kept busy, from the beginning of the
	// run on; absent where none was.
	LoadedFromNS int64 `json:"loaded_from_ns,omitempty"`
	// Clocks has an entry for each clock but the reference, no id twice.
	Clocks []DriftedClock `json:"clocks"`
}

// A DriftedClock is one clock against the reference.
type DriftedClock struct {
	// ID is the call and the path: RDTSC@cpu.
	ID string `json:"id"`
	// Reason says why the clock could not be held against the reference, or not over the
	// whole run: that it stepped, or that one of its rates could not be told.
	Reason string `json:"reason,omitempty"`
	// NominalHz is the ticks a second that the clock states, or that the kernel takes
	// it to have; absent where nobody states it, and rates are then told in Hz only.
	NominalHz float64 `json:"nominal_hz,omitempty"`
	// Asleep is the rate while the process slept between its looks; absent where there
	// were too few of them.
	Asleep *DriftRate `json:"asleep,omitempty"`
	// Loaded is the rate while every CPU was kept busy.
	Loaded *DriftRate `json:"loaded,omitempty"`
	// Points are how far the clock was ahead of the reference over the run, at most
	// 1000 of them in order of time, each the tightest of its part of the run. Of a clock
	// that stepped they are of the longest part without a step.
	Points []DriftPoint `json:"points,omitempty"`
}

// A DriftRate is the slope of a line of least squares through many bracketed readings
// of two clocks.
type DriftRate struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// PPM is how much faster than the reference the clock runs, in millionths of
	// its nominal rate; absent where that is not known.
	PPM *float64 `json:"ppm,omitempty"`
	// Hz is the ticks that the clock makes in a second of the reference.
	Hz float64 `json:"hz"`
	// IntervalPPM is half the width of the rate's interval, in millionths.
	IntervalPPM float64 `json:"interval_ppm"`
	// Confidence is the interval's, from 0 to 1.
	Confidence float64 `json:"confidence"`
	// Freedom is the degrees of freedom of Student's distribution that the interval is
	// of: as many readings as are independent, less 2. Absent in documents of earlier versions.
	Freedom float64 `json:"freedom,omitempty"`
	// ResidualNS is how far the readings lie from the line: the root of the mean of
	// the squares.
	ResidualNS float64 `json:"residual_ns"`
	// WorstResidualNS is the farthest.
	WorstResidualNS float64 `json:"worst_residual_ns"`
	// Readings counts the bracketed readings through which the line goes.
	Readings int `json:"readings"`
	// SpanNS is the time from the first to the last of them.
	SpanNS int64 `json:"span_ns"`
}

// A DriftPoint is one bracketed reading.
type DriftPoint struct { //nolint:revive // the name in the JSON Schema, where all sections are together
	// AtNS is the reference's time since the beginning of the run.
	AtNS int64 `json:"at_ns"`
	// OffsetNS is how far the clock was ahead of the reference then, against the first
	// point; negative where it was behind. Where the nominal rate is not
	// known, it is against the rate that was measured.
	OffsetNS float64 `json:"offset_ns"`
}

// key is that of the section in a document.
const key = "drift"

// Kind is the kind of this section.
var Kind = section.Kind{Kind: result.Kind{
	Key:   key,
	About: "drift is there where clocks were held against a reference for their rate.",
	New:   func() result.Section { return new(Drift) },
}, Command: "drift", Pictures: pictures, Compare: section.Comparing(changesOf)}

// Of returns the section of a document; nil where it has none.
func Of(d *result.Document) *Drift { return result.Of[*Drift](d) }

// Key returns the key of the section in a document.
func (*Drift) Key() string { return key }

// Check tells c which values cannot be.
func (d *Drift) Check(c *result.Checker, at string) {
	if d.Reference == "" {
		c.Fail(at+".reference", "is empty; it must name a clock")
	}
	c.NotNegative(at+".duration_ns", float64(d.DurationNS))
	c.NotNegative(at+".loaded_from_ns", float64(d.LoadedFromNS))
	seen := map[string]bool{}
	for i, clock := range d.Clocks {
		at := fmt.Sprintf("%s.clocks[%d] (%.64q)", at, i, clock.ID)
		c.Once(at, clock.ID, seen)
		c.NotNegative(at+".nominal_hz", clock.NominalHz)
		clock.Asleep.check(c, at+".asleep")
		clock.Loaded.check(c, at+".loaded")
		for i, point := range clock.Points {
			at := fmt.Sprintf("%s.points[%d]", at, i)
			c.NotNegative(at+".at_ns", float64(point.AtNS))
			c.Signed(at+".offset_ns", point.OffsetNS)
			if i > 0 && point.AtNS < clock.Points[i-1].AtNS {
				c.Fail(at+".at_ns", fmt.Sprintf("is %d; it must not be before the %d of the point before", point.AtNS, clock.Points[i-1].AtNS))
			}
		}
	}
}

func (r *DriftRate) check(c *result.Checker, at string) {
	if r == nil {
		return
	}
	if r.PPM != nil {
		c.Signed(at+".ppm", *r.PPM)
	}
	c.NotNegative(at+".hz", r.Hz)
	c.NotNegative(at+".interval_ppm", r.IntervalPPM)
	c.Share(at+".confidence", r.Confidence)
	c.NotNegative(at+".freedom", r.Freedom)
	c.NotNegative(at+".residual_ns", r.ResidualNS)
	c.NotNegative(at+".worst_residual_ns", r.WorstResidualNS)
	c.NotNegative(at+".readings", float64(r.Readings))
	c.NotNegative(at+".span_ns", float64(r.SpanNS))
}
