package drift

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/words"
)

const (
	// mostPoints is the max number of points of each clock in the document.
	mostPoints = 1000
	// mostOfSpan is the max share of a phase that the ticks of both clocks may take: above
	// it, the measurement is less exact than the known rate of any clock.
	mostOfSpan = 0.25
)

var (
	errUnread    = errors.New("the run ended before it was read")
	errBackwards = errors.New("went backwards over the run")
)

func (s *subject) result(reference *subject) DriftedClock {
	d := DriftedClock{ID: s.clock.ID, NominalHz: s.hz}
	missing := s.rates(&d, reference)
	if err := cmp.Or(s.err, missing); err != nil {
		d.Reason = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return d
}

// rates fills in the rates of the readings. The error says why rates are missing.
func (s *subject) rates(d *DriftedClock, reference *subject) error {
	first := len(s.phases[idle].kept)
	all := slices.Concat(s.phases[idle].kept, s.phases[loaded].kept)
	if len(all) == 0 {
		return errUnread
	}
	if len(all) < fewest {
		return tooFew(len(all))
	}
	if !moved(all) {
		return fmt.Errorf("did not tick in the %s from its first reading to its last", words.Duration(length(all)))
	}
	hz := s.hz
	if hz == 0 {
		hz = typicalHz(all)
	}
	if !(hz > 0) {
		return errBackwards
	}
	m := meter{hz: hz, nominal: s.hz > 0, tickNS: s.tick * 1e9 / hz, stepNS: reference.tick * 1e9 / reference.hz,
		coarse: s.clock.Coarse}
	steps := m.steps(all)
	part := longest(all, steps, 0, len(all))
	if !m.nominal && len(part) >= fewest {
		ends := tight(part, m.stepNS)
		if hz := float64(ends[len(ends)-1].ticks-ends[0].ticks) * 1e9 / length(ends); hz > 0 {
			m.hz = hz
		}
	}
	for _, r := range part {
		if got := offset(r, part[0], m.hz); math.Abs(got) > float64(farthest) {
			return fmt.Errorf("got ahead by %s", words.SignedDuration(got))
		}
	}
	d.Points = points(part, part[0], m.hz)
	var idleErr, loadedErr error
	if first > 0 {
		d.Idle, idleErr = m.rate(longest(all, steps, 0, first))
	}
	if first < len(all) {
		d.Loaded, loadedErr = m.rate(longest(all, steps, first, len(all)))
	}
	switch {
	case d.Idle != nil && loadedErr != nil:
		loadedErr = fmt.Errorf("under load: %w", loadedErr)
	case d.Loaded != nil && idleErr != nil:
		idleErr = fmt.Errorf("idle: %w", idleErr)
	}
	return errors.Join(stepped(steps), cmp.Or(idleErr, loadedErr))
}

// A meter computes rates from readings.
type meter struct {
	hz      float64 // the rate that offsets refer to
	nominal bool    // whether hz is the nominal rate
	tickNS  float64 // of the clock
	stepNS  float64 // of the reference
	coarse  bool    // whether an interrupt, which may be late, advances the clock
}

// rate returns the slope of the line through the readings of a phase.
func (m meter) rate(readings []reading) (*DriftRate, error) {
	readings = tight(readings, m.stepNS)
	if len(readings) < fewest {
		return nil, tooFew(len(readings))
	}
	span, steps := length(readings), m.tickNS+m.stepNS
	if steps > mostOfSpan*span {
		return nil, fmt.Errorf("ticks of %s need readings over %s, and the run gave %s; use a longer --duration",
			words.Duration(steps), words.Duration(steps/mostOfSpan), words.Duration(span))
	}
	seconds, ahead := make([]float64, len(readings)), make([]float64, len(readings))
	for i, r := range readings {
		seconds[i], ahead[i] = r.atNS/1e9, offset(r, readings[0], m.hz)
	}
	line := through(seconds, ahead)
	hz := m.hz * (1 + line.slope/1e9)
	// A clock that stands still makes no ticks, within the rounding error of a float64.
	if hz < -m.hz/1e9 {
		return nil, errBackwards
	}
	rate := &DriftRate{
		Hz: whole(max(0, hz)), Confidence: stats.Confidence, Readings: len(readings),
		SpanNS:      int64(span),
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
	return fmt.Errorf("a rate needs %d readings and the run gave %d; use a longer --duration", fewest, readings)
}

func whole(value float64) float64 { return math.Round(value*1e9) / 1e9 }

// offset returns by how many nanoseconds the clock moved ahead of the reference since the first reading.
func offset(r, first reading, hz float64) float64 {
	return float64(r.ticks-first.ticks)*1e9/hz - (r.atNS - first.atNS)
}

func length(readings []reading) float64 { return readings[len(readings)-1].atNS - readings[0].atNS }

func moved(readings []reading) bool {
	return slices.ContainsFunc(readings, func(r reading) bool { return r.ticks != readings[0].ticks })
}

// points returns the points of the document, each the tightest of several readings.
func points(readings []reading, first reading, hz float64) []DriftPoint {
	each := (len(readings) + mostPoints - 1) / mostPoints
	var told []DriftPoint
	for part := range slices.Chunk(readings, each) {
		r := tightest(part...)
		told = append(told, DriftPoint{AtNS: int64(r.atNS), OffsetNS: offset(r, first, hz)})
	}
	return told
}
