package drift

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/gonum/stat/distuv"
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
		Grids: []table.Grid{rateGrid(t), lineGrid(t)},
	}
	var why words.Reasons
	compared, differ := 0, 0
	for _, c := range t.Clocks {
		why.Add(c.ID, c.Reason)
		if c.Asleep != nil && c.Loaded != nil {
			compared++
		}
	}
	for _, c := range t.Clocks {
		if change, bound, certain := underLoad(c, compared); certain {
			differ++
			block.Level = table.Error
			block.Faults = append(block.Faults, fmt.Sprintf("%s runs %s under load than asleep, by %s ppm.", c.ID, fasterOrSlower(change), words.Bounded(math.Abs(change), bound)))
		}
	}
	block.Notes = why.Lines()
	switch rated := len(block.Grids[0].Rows); {
	case rated == 0:
		block.Verdict = "No rate could be measured."
	case compared == 0:
		block.Verdict = t.farthest(rated)
	case differ == 0:
		block.Verdict = "No clock changes its rate under load by more than the error bound. " + t.farthest(rated)
	default:
		block.Verdict = fmt.Sprintf("%d of %s at another rate under load, beyond the error bound. %s", differ, words.Plural(compared, "clock")+map[bool]string{true: " runs", false: " run"}[differ == 1], t.farthest(rated))
	}
	return block
}

// CorrectablePPM is the largest error of a clock's rate that NTP can correct; adjtimex(2).
const CorrectablePPM = 500

// farthest returns which rated clock differs most from the reference, error bounds included, and whether NTP can correct
// that.
func (t *Drift) farthest(rated int) string {
	known := 0
	var most DriftedClock
	size := func(r *DriftRate) float64 { return math.Abs(*r.PPM) + r.IntervalPPM }
	for _, c := range t.Clocks {
		if all := phases(c); len(all) > 0 && all[0].rate.PPM != nil {
			if known++; known == 1 || size(all[0].rate) > size(phases(most)[0].rate) {
				most = c
			}
		}
	}
	if known == 0 {
		return fmt.Sprintf("Rates of %s against %s, in Hz only.", words.Plural(rated, "clock"), t.Reference)
	}
	rate, which, relation := phases(most)[0].rate, most.ID+" differs", "within"
	if known > 1 {
		which = fmt.Sprintf("Of %s %s differs most", words.Plural(known, "clock"), most.ID)
	}
	if math.Abs(*rate.PPM) > CorrectablePPM {
		relation = "more than"
	}
	return fmt.Sprintf("%s from %s: %s ppm, %s a day, %s the %d ppm that NTP can correct.", which, t.Reference, ppm(rate), perDay(rate), relation, CorrectablePPM)
}

// perDay returns the time by which a rate with a PPM differs in a day.
func perDay(r *DriftRate) string { return words.SignedDuration(*r.PPM * 1e-6 * dayNS) }

// underLoad returns by how many ppm a clock runs faster under load than asleep, the error bound, and whether the change
// exceeds the bound. One of twenty rates lies outside its own 95 % interval, so among several clocks one soon does. The
// bound therefore uses wider intervals, which all hold together with 95 % (Bonferroni).
func underLoad(c DriftedClock, compared int) (change, bound float64, certain bool) {
	if c.Asleep == nil || c.Loaded == nil || c.Asleep.Hz == 0 {
		return 0, 0, false
	}
	each := 1 - (1-stats.Confidence)/float64(2*compared)
	change, bound = (c.Loaded.Hz/c.Asleep.Hz-1)*1e6, atConfidence(c.Asleep, each)+atConfidence(c.Loaded, each)
	return change, bound, math.Abs(change) > bound
}

// atConfidence returns half the width of the rate's interval in ppm, at a confidence above its own.
func atConfidence(r *DriftRate, confidence float64) float64 {
	if r.Confidence <= 0 || r.Confidence >= confidence {
		return r.IntervalPPM
	}
	student := distuv.StudentsT{Sigma: 1, Nu: r.Freedom}
	if r.Freedom < 1 { // unknown
		student.Nu = 100
	}
	return r.IntervalPPM * student.Quantile((1+confidence)/2) / student.Quantile((1+r.Confidence)/2)
}

func fasterOrSlower(change float64) string {
	if change < 0 {
		return "slower"
	}
	return "faster"
}

// A phase is a part of a run with its own rate of a clock.
type phase struct {
	name string
	rate *DriftRate
}

func phases(c DriftedClock) []phase {
	var all []phase
	for _, p := range []phase{{"asleep", c.Asleep}, {"loaded", c.Loaded}} {
		if p.rate != nil {
			all = append(all, p)
		}
	}
	return all
}

func rateGrid(t *Drift) table.Grid {
	g := table.Grid{
		Title:  "Rate against " + t.Reference + ", in ppm",
		Header: []string{"Clock", "nominal rate", "asleep", "under load", "per day"}, Spare: []int{1, 4},
	}
	loaded := slices.ContainsFunc(t.Clocks, func(c DriftedClock) bool { return c.Loaded != nil })
	if !loaded {
		g.Header, g.Spare = slices.Delete(g.Header, 3, 4), []int{1, 3}
	}
	for _, c := range t.Clocks {
		all := phases(c)
		if len(all) == 0 {
			continue
		}
		day := "-"
		if all[0].rate.PPM != nil {
			day = perDay(all[0].rate)
		} else {
			g.Note = "-: the clock has no nominal rate, so its rate is given in Hz only."
		}
		row := []string{c.ID, nominal(c.NominalHz), ppm(c.Asleep), ppm(c.Loaded), day}
		if !loaded {
			row = slices.Delete(row, 3, 4)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func ppm(r *DriftRate) string {
	if r == nil || r.PPM == nil {
		return "-"
	}
	// A larger rate means that the clock was set; its digits have no meaning.
	const most = 1e7
	if max(math.Abs(*r.PPM), r.IntervalPPM) >= most {
		return fmt.Sprintf("%+.3g ± %.2g", *r.PPM, r.IntervalPPM)
	}
	text := words.Bounded(*r.PPM, r.IntervalPPM)
	if *r.PPM > 0 {
		text = "+" + text
	}
	return text
}

// nominal returns a nominal rate in Hz as text. An integer is not rounded.
func nominal(hz float64) string {
	switch {
	case hz == 0:
		return "-"
	case hz >= 1e15:
		return fmt.Sprintf("%.3g Hz", hz)
	case hz == math.Trunc(hz):
		return words.Thousands(int64(hz)) + " Hz"
	default:
		return words.Grouped(hz, 3) + " Hz"
	}
}

func lineGrid(t *Drift) table.Grid {
	g := table.Grid{
		Title: "Fitted lines", Texts: 2, Detail: true,
		Header: []string{"Clock", "while", "ticks/s", "residual (RMS)", "max residual", "readings", "time"}, Spare: []int{5, 4, 6, 3},
		Note: "residual: distance of the readings from the line.",
	}
	confidence := 0.0
	for _, c := range t.Clocks {
		for _, p := range phases(c) {
			r := p.rate
			g.Rows = append(g.Rows, []string{
				c.ID, p.name, words.Bounded(r.Hz, r.Hz*r.IntervalPPM/1e6), words.SignedDuration(r.ResidualNS), words.SignedDuration(r.WorstResidualNS),
				words.Thousands(int64(r.Readings)), words.Duration(float64(r.SpanNS)),
			})
			confidence = r.Confidence
		}
	}
	if confidence > 0 {
		g.Note += fmt.Sprintf(" Intervals: %s%% CI.", words.ThreeDigits(confidence*100))
	}
	return g
}

// Lines returns a line for each clock and phase. A clock without a rate has one line with the reason.
func (t *Drift) Lines(*result.Document) [][]string {
	lines := [][]string{strings.Split("clock,phase,reference,nominal_hz,ppm,interval_ppm,confidence,hz,residual_ns,worst_residual_ns,readings,span_ns,reason", ",")}
	for _, c := range t.Clocks {
		head := []string{c.ID, "", t.Reference, words.Known(c.NominalHz)}
		all := phases(c)
		if len(all) == 0 {
			lines = append(lines, append(head, "", "", "", "", "", "", "", "", c.Reason))
		}
		for _, p := range all {
			r, ppm := p.rate, ""
			if r.PPM != nil {
				ppm = words.Number(*r.PPM)
			}
			lines = append(lines, []string{
				c.ID, p.name, t.Reference, words.Known(c.NominalHz), ppm, words.Number(r.IntervalPPM), words.Number(r.Confidence), words.Number(r.Hz),
				words.Number(r.ResidualNS), words.Number(r.WorstResidualNS), strconv.Itoa(r.Readings), strconv.FormatInt(r.SpanNS, 10), c.Reason,
			})
		}
	}
	return lines
}
