package drift

import (
	"time"

	"github.com/timebench/timebench/internal/instrument/stats"
)

const (
	// mostReadings is the max number of readings of a phase that are kept of each clock.
	mostReadings = 2048
	narrowest    = 10 * time.Millisecond
	// loose is the min ratio to the median width at which a bracket is dropped: the width is due to a preemption, not
	// to the clock.
	loose = 4
)

// A reading is a clock's value between two readings of the reference.
type reading struct {
	atNS    float64 // the middle of the two, since the beginning of the run
	widthNS float64 // between the two
	ticks   int64   // of the clock
}

// tightest returns the reading that was disturbed least. Each reading is the tightest of its
// brackets already, and in nanoseconds, so this does not use [observe.Tightest].
func tightest(readings ...reading) reading {
	best := readings[0]
	for _, r := range readings[1:] {
		if r.widthNS < best.widthNS {
			best = r
		}
	}
	return best
}

// tight drops the readings that were disturbed. graceNS is the extra width that a bracket may
// have: a tick of the reference.
func tight(readings []reading, graceNS float64) []reading {
	if len(readings) == 0 {
		return nil
	}
	widths := make([]float64, len(readings))
	for i, r := range readings {
		widths[i] = r.widthNS
	}
	most := loose*stats.Median(widths) + graceNS
	var kept []reading
	for _, r := range readings {
		if r.widthNS <= most {
			kept = append(kept, r)
		}
	}
	return kept
}

// slot returns the time that one kept reading represents, this far into a phase.
func slot(into time.Duration) time.Duration {
	width := narrowest
	for into/width >= mostReadings {
		width *= 2
	}
	return width
}

// A series is a clock's readings in one phase: the tightest of each slot of time. The width of the slots doubles
// whenever there would be too many, so a run of days needs no more memory than a run of a minute.
type series struct {
	begunNS float64
	width   time.Duration
	kept    []reading
}

// add adds a reading that is not earlier than the previous readings.
func (s *series) add(r reading) {
	if s.kept == nil {
		s.begunNS, s.width = r.atNS, narrowest
		s.kept = append(make([]reading, 0, mostReadings), r)
		return
	}
	if width := slot(s.into(r)); width > s.width {
		s.width = width
		all := s.kept
		s.kept = all[:1]
		for _, old := range all[1:] {
			s.put(old)
		}
	}
	s.put(r)
}

// put appends a reading, or keeps the tighter one if its slot has a reading.
func (s *series) put(r reading) {
	last := len(s.kept) - 1
	if s.into(r)/s.width == s.into(s.kept[last])/s.width {
		s.kept[last] = tightest(s.kept[last], r)
		return
	}
	s.kept = append(s.kept, r)
}

func (s *series) into(r reading) time.Duration { return time.Duration(r.atNS - s.begunNS) }
