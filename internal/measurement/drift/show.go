package drift

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

const dayNS = 86400e9

// Fact returns the duration of the measurement and the reference.
func (t *Drift) Fact(*result.Document) table.Fact {
	text := "measured for " + words.Duration(float64(t.DurationNS)) + " against " + t.Reference
	if t.LoadedFromNS > 0 {
		text += ", with every CPU busy from " + words.Duration(float64(t.LoadedFromNS)) + " on"
	}
	return table.Fact{Name: "Drift", Value: text}
}

// Block returns the rate of each clock.
func (t *Drift) Block(*result.Document) table.Block {
	block := table.Block{
		Title: "Rate against " + t.Reference,
		Grids: []table.Grid{rateGrid(t)},
	}
	var why words.Reasons
	rated, compared, differ := 0, 0, 0
	for _, c := range t.Clocks {
		why.Add(c.ID, c.Reason)
		rated += min(1, len(phases(c)))
		if c.Idle != nil && c.Loaded != nil {
			compared++
		}
	}
	for _, c := range t.Clocks {
		if change, bound, certain := underLoad(c); certain {
			differ++
			block.Level = table.Error
			block.Faults = append(block.Faults, fmt.Sprintf("%s runs %s under load than idle, by %s ppm.", c.ID,
				words.Either(change < 0, "slower", "faster"), words.Bounded(math.Abs(change), bound)))
		}
	}
	block.Notes = why.Lines()
	switch {
	case rated == 0:
		block.Verdict = why.After("No rate could be measured")
	case compared == 0:
		block.Verdict = t.farthest()
	case differ == 0:
		block.Verdict = "No clock changes its rate under load by more than the error bound. " + t.farthest()
	default:
		block.Verdict = fmt.Sprintf("%d of %s at another rate under load, beyond the error bound. %s", differ,
			words.Plural(compared, "clock")+words.Either(differ == 1, " runs", " run"),
			t.farthest())
	}
	return block
}

// correctablePPM is the largest error of a clock's rate that NTP can correct; adjtimex(2).
const correctablePPM = 500

// bounds is the ratio of an error bound to the wider interval of 95 %. Of six clocks that do not differ, one exceeded
// its own interval in 6 of 25 runs.
const bounds = 3

// farthest returns which rated clock is proven to differ most from the reference, beyond its error bound, and whether
// NTP can correct the difference; and the rate of a clock whose nominal rate is unknown.
func (t *Drift) farthest() string {
	known, widest := 0, 0.0
	var most DriftedClock
	unstated := ""
	proven := func(r *DriftRate) float64 { return math.Abs(*r.PPM) - bounds*r.IntervalPPM }
	for _, c := range t.Clocks {
		all := phases(c)
		switch {
		case len(all) == 0:
		case all[0].rate.PPM == nil:
			unstated = cmp.Or(unstated, fmt.Sprintf(" %s makes %s ticks/s; its nominal rate is unknown.", c.ID, ticks(all[0].rate)))
		default:
			widest = max(widest, all[0].rate.IntervalPPM)
			if known++; known == 1 || proven(all[0].rate) > proven(phases(most)[0].rate) {
				most = c
			}
		}
	}
	if known == 0 {
		return strings.TrimSpace(unstated)
	}
	rate, which, none := phases(most)[0].rate, most.ID+" differs", most.ID+" does not differ"
	if known > 1 {
		none = fmt.Sprintf("None of %d clocks differs", known)
		which = fmt.Sprintf("Of %s %s differs most", words.Plural(known, "clock"), most.ID)
	}
	if proven(rate) <= 0 {
		return fmt.Sprintf("%s from %s by more than the error bound of %s ppm.", none, t.Reference,
			words.ThreeDigits(bounds*widest)) + unstated
	}
	relation := words.Either(proven(rate) > correctablePPM, "more than", "perhaps more than")
	if math.Abs(*rate.PPM)+rate.IntervalPPM <= correctablePPM {
		relation = "within"
	}
	return fmt.Sprintf("%s from %s: %s ppm, %s a day, %s the %d ppm that NTP can correct.", which, t.Reference,
		ppm(rate), perDay(rate), relation, correctablePPM) + unstated
}

// perDay returns the time by which a rate differs in a day; "" without a PPM.
func perDay(r *DriftRate) string {
	if r.PPM == nil {
		return ""
	}
	return words.SignedDuration(*r.PPM * 1e-6 * dayNS)
}

// underLoad returns by how many ppm a clock runs faster under load than idle, and the error bound.
func underLoad(c DriftedClock) (change, bound float64, certain bool) {
	if c.Idle == nil || c.Loaded == nil || c.Idle.Hz == 0 {
		return 0, 0, false
	}
	change, bound = (c.Loaded.Hz/c.Idle.Hz-1)*1e6, bounds*max(c.Idle.IntervalPPM, c.Loaded.IntervalPPM)
	return change, bound, math.Abs(change) > bound
}

// A phase is a part of a run with its own rate of a clock.
type phase struct {
	name string
	rate *DriftRate
}

func phases(c DriftedClock) []phase {
	var all []phase
	for _, p := range []phase{{"idle", c.Idle}, {"loaded", c.Loaded}} {
		if p.rate != nil {
			all = append(all, p)
		}
	}
	return all
}

// A rated is a clock with one of its rates, or without a rate.
type rated struct {
	DriftedClock
	phase
	reference string
}

// rates returns the rates of all clocks. A clock without a rate has an entry too.
func (t *Drift) rates() []rated {
	var all []rated
	for _, c := range t.Clocks {
		known := phases(c)
		if len(known) == 0 {
			known = []phase{{}}
		}
		for _, p := range known {
			all = append(all, rated{c, p, t.Reference})
		}
	}
	return all
}

var figure = table.Within(func(r rated) *DriftRate { return r.rate }, table.Unknown)

var rateColumns = []table.Column[rated]{
	{Name: "Clock", Key: "clock", Left: true, Text: func(r rated) string { return r.ID }},
	{Name: "while", Key: "phase", Left: true, Text: func(r rated) string { return r.name }},
	{Key: "reference", Text: func(r rated) string { return r.reference }},
	{
		Name: "nominal rate", Key: "nominal_hz", Spare: 2, Unit: nominal,
		Value: func(r rated) float64 { return table.Known(r.NominalHz) },
	},
	{
		Name: "ppm", Key: "ppm", Cell: func(r rated) string { return ppm(r.rate) },
		Value: figure(func(r *DriftRate) float64 {
			if r.PPM == nil {
				return table.Unknown
			}
			return *r.PPM
		}),
	},
	{Key: "interval_ppm", Value: figure(func(r *DriftRate) float64 { return r.IntervalPPM })},
	{Key: "confidence", Value: figure(func(r *DriftRate) float64 { return r.Confidence })},
	{Name: "per day", Spare: 1, Cell: func(r rated) string { return perDay(r.rate) }},
	{
		Name: "ticks/s", Key: "hz", Spare: 3, Value: figure(func(r *DriftRate) float64 { return r.Hz }),
		Cell: func(r rated) string { return ticks(r.rate) },
	},
	{Name: "residual (RMS)", Key: "residual_ns", Spare: 4, Unit: words.SignedDuration,
		Note:  "residual: distance of the readings from the fitted line.",
		Value: figure(func(r *DriftRate) float64 { return r.ResidualNS })},
	{Name: "max residual", Key: "worst_residual_ns", Spare: 6, Unit: words.SignedDuration,
		Value: figure(func(r *DriftRate) float64 { return r.WorstResidualNS })},
	{Name: "readings", Key: "readings", Spare: 7, Unit: words.Count,
		Value: figure(func(r *DriftRate) float64 { return float64(r.Readings) })},
	{Name: "time", Key: "span_ns", Spare: 5, Unit: words.Duration,
		Value: figure(func(r *DriftRate) float64 { return float64(r.SpanNS) })},
	{Key: "reason", Text: func(r rated) string { return r.Reason }},
}

func rateGrid(t *Drift) table.Grid {
	known := slices.DeleteFunc(t.rates(), func(r rated) bool { return r.rate == nil })
	g := table.Of("Rate against "+t.Reference+", in ppm", known, rateColumns)
	var notes []string
	if len(known) > 0 && known[0].rate.Confidence > 0 {
		notes = append(notes, fmt.Sprintf("±: %s%% CI.", words.ThreeDigits(known[0].rate.Confidence*100)))
	}
	if slices.ContainsFunc(known, func(r rated) bool { return r.rate.PPM == nil }) {
		notes = append(notes, "-: the clock has no nominal rate, so its rate is given in ticks/s only.")
	}
	g.Note = strings.Join(notes, " ")
	return g
}

func ppm(r *DriftRate) string {
	if r.PPM == nil {
		return ""
	}
	text := words.Bounded(*r.PPM, r.IntervalPPM)
	if *r.PPM > 0 {
		text = "+" + text
	}
	return text
}

// ticks returns a rate in ticks/s.
func ticks(r *DriftRate) string { return words.Bounded(r.Hz, r.Hz*r.IntervalPPM/1e6) }

// nominal returns a nominal rate in Hz as text. An integer is not rounded.
func nominal(hz float64) string {
	if hz == math.Trunc(hz) {
		return words.Thousands(int64(hz)) + " Hz"
	}
	return words.Grouped(hz, 3) + " Hz"
}

// Lines returns a line for each clock and phase. A clock without a rate has one line with the reason.
func (t *Drift) Lines(*result.Document) [][]string { return table.Lines(t.rates(), rateColumns) }
