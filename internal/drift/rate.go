package drift

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/result"
	"gonum.org/v1/gonum/stat"
)

const (
	// mostPoints is how many the document holds of each clock.
	mostPoints = 1000
	// mostOfSpan is the largest part of a phase that the ticks of both clocks may
	// take: so few of them tell less than the rate of any clock is known to.
	mostOfSpan = 0.25
)

var (
	errUnread    = errors.New("the run ended before it was read")
	errBackwards = errors.New("went backwards over the run")
)

// result words what was seen of the subject.
func (s *subject) result(reference *subject) result.DriftedClock {
	d := result.DriftedClock{ID: s.clock.ID, NominalHz: s.hz}
	err := s.err
	if s.first != nil {
		if failure := s.rates(&d, reference); err == nil {
			err = failure
		}
	} else if err == nil {
		err = errUnread
	}
	if err != nil {
		d.Reason = err.Error()
	}
	return d
}

// rates fills in what the readings tell; the error says why they tell no rate.
func (s *subject) rates(d *result.DriftedClock, reference *subject) error {
	all := slices.Concat(s.phases[asleep].kept, s.phases[loaded].kept)
	if len(all) < fewest {
		return tooFew(len(all))
	}
	if !moved(all) {
		return fmt.Errorf("did not tick in the %v from its first reading to its last", rounded(span(all)))
	}
	hz := s.hz
	if hz == 0 {
		hz = measured(all)
	}
	if !(hz > 0) {
		return errBackwards
	}
	for _, r := range all {
		if ahead := offset(r, *s.first, hz); math.Abs(ahead) > float64(farthest) {
			return fmt.Errorf("was set by %v", time.Duration(ahead).Round(time.Hour))
		}
	}
	d.Points = points(all, *s.first, hz)
	m := meter{first: *s.first, hz: hz, nominal: s.hz > 0, tickNS: s.tick * 1e9 / hz, stepNS: reference.tick * 1e9 / reference.hz}
	var err, loadedErr error
	d.Asleep, err = m.rate(s.phases[asleep].kept)
	d.Loaded, loadedErr = m.rate(s.phases[loaded].kept)
	switch {
	case d.Asleep != nil || d.Loaded != nil:
		return nil
	case len(s.phases[asleep].kept) == 0:
		return loadedErr
	default:
		return err
	}
}

// A meter makes rates of readings.
type meter struct {
	first   reading
	hz      float64 // what offsets are told against
	nominal bool    // that it is the nominal rate
	tickNS  float64 // of the clock
	stepNS  float64 // of the reference
}

// rate is the slope of the line through the readings of one phase.
func (m meter) rate(readings []reading) (*result.DriftRate, error) {
	readings = tight(readings, m.stepNS)
	if len(readings) < fewest {
		return nil, tooFew(len(readings))
	}
	span, steps := span(readings), m.tickNS+m.stepNS
	if steps > mostOfSpan*span {
		return nil, fmt.Errorf("steps of %v tell no rate in %v; take a longer time", rounded(steps), rounded(span))
	}
	seconds, ahead := make([]float64, len(readings)), make([]float64, len(readings))
	for i, r := range readings {
		seconds[i], ahead[i] = r.atNS/1e9, offset(r, m.first, m.hz)
	}
	line := through(seconds, ahead)
	hz := m.hz * (1 + line.slope/1e9)
	// A clock that stands still makes no ticks, give or take the last bits of a float64.
	if hz < -m.hz/1e9 {
		return nil, errBackwards
	}
	rate := &result.DriftRate{
		Hz: whole(max(0, hz)), Confidence: confidence, Readings: len(readings), SpanNS: int64(span),
		IntervalPPM: whole(max(line.margin, steps/span*1e9) / 1e3),
		ResidualNS:  whole(line.mean), WorstResidualNS: whole(line.worst),
	}
	if m.nominal {
		ppm := line.slope / 1e3
		rate.PPM = &ppm
	}
	return rate, nil
}

func tooFew(readings int) error {
	return fmt.Errorf("a rate needs %d readings and the run gave %d; take a longer time", fewest, readings)
}

func rounded(ns float64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

// whole rounds to the least that the document holds.
func whole(value float64) float64 { return math.Round(value*1e9) / 1e9 }

// offset is how far the clock was ahead of the reference, against the first reading, in
// nanoseconds.
func offset(r, first reading, hz float64) float64 {
	return float64(r.ticks-first.ticks)*1e9/hz - (r.atNS - first.atNS)
}

// span is the time from the first reading to the last, in nanoseconds.
func span(readings []reading) float64 { return readings[len(readings)-1].atNS - readings[0].atNS }

// moved reports whether the clock's value ever changed.
func moved(readings []reading) bool {
	return slices.ContainsFunc(readings, func(r reading) bool { return r.ticks != readings[0].ticks })
}

// measured is the ticks a second of a line through the readings.
func measured(readings []reading) float64 {
	seconds, ticks := make([]float64, len(readings)), make([]float64, len(readings))
	for i, r := range readings {
		seconds[i], ticks[i] = r.atNS/1e9, float64(r.ticks-readings[0].ticks)
	}
	_, hz := stat.LinearRegression(seconds, ticks, nil, false)
	return hz
}

// points are the readings for the document, each the tightest of as many as it takes.
func points(readings []reading, first reading, hz float64) []result.DriftPoint {
	each := (len(readings) + mostPoints - 1) / mostPoints
	var told []result.DriftPoint
	for part := range slices.Chunk(readings, each) {
		r := tightest(part...)
		told = append(told, result.DriftPoint{AtNS: int64(r.atNS), OffsetNS: offset(r, first, hz)})
	}
	return told
}
