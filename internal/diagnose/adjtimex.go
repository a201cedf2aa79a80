package diagnose

import (
	"cmp"
	"fmt"
	"math"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

const adjtimexManual = "https://man7.org/linux/man-pages/man2/adjtimex.2.html"

// farOffNS is more than a time service corrects in its usual work.
const farOffNS = 10_000_000

func tickLength(sync result.TimeSync) string {
	return words.Grouped(float64(sync.TickNS)/1e3, 0) + " µs"
}

// monotonicRate returns the share by which the tick and the frequency of adjtimex(2) make CLOCK_MONOTONIC and
// CLOCK_REALTIME run fast; negative if they run slow.
func monotonicRate(sync result.TimeSync) float64 {
	tick := 1.0
	if situation.ChangedTick(sync) {
		tick = float64(sync.TickNS) / situation.UsualTickNS
	}
	return tick*(1+sync.FrequencyPPM/1e6) - 1
}

func remaining(sync result.TimeSync) string {
	return "adjtimex: remaining offset " + words.SignedDuration(float64(sync.OffsetNS))
}

func tickEvidence(sync result.TimeSync) string {
	return fmt.Sprintf("adjtimex: tick %s, which changes the rate by %s ppm", tickLength(sync), words.SignedPPM(float64(sync.TickNS-situation.UsualTickNS)/situation.UsualTickNS*1e6))
}

// setByHand reports whether the rate was set by a program that is no time service.
func setByHand(sync result.TimeSync) bool {
	return !sync.Synchronised && (situation.ChangedTick(sync) || sync.OffsetNS == 0)
}

func steppedBy(s *situation.Situation) string {
	return fmt.Sprintf("during the run the wall clock jumped by %s against the monotonic clock", words.SignedDuration(float64(s.Conditions.WallStepNS)))
}

// frequencyLimit returns the largest frequency correction of the kernel in ppm.
func frequencyLimit(sync result.TimeSync) float64 {
	return cmp.Or(sync.FrequencyLimitPPM, situation.MaxFrequencyPPM)
}

// maxTickPart is the largest change of the tick that adjtimex(2) accepts: 900000/HZ to 1100000/HZ.
const maxTickPart = 0.1

// atLimit reports whether the kernel corrects the rate of the clock as far as it can.
func atLimit(sync result.TimeSync) bool {
	return math.Abs(sync.FrequencyPPM) >= frequencyLimit(sync) ||
		situation.ChangedTick(sync) && math.Abs(float64(sync.TickNS)/situation.UsualTickNS-1) >= maxTickPart*(1-1e-9)
}

func limitEvidence(sync result.TimeSync) string {
	if math.Abs(sync.FrequencyPPM) >= frequencyLimit(sync) {
		return fmt.Sprintf("adjtimex: frequency %s ppm, the limit of the kernel", words.SignedPPM(sync.FrequencyPPM))
	}
	return tickEvidence(sync)
}

// longDuration returns a duration in the largest unit that fits, up to days.
func longDuration(ns float64) string {
	for _, unit := range []struct {
		ns, least float64 // least units: 36 h, 90 s
		name      string
	}{{86_400e9, 10, "days"}, {3600e9, 1, "h"}, {60e9, 2, "min"}} {
		if ns >= unit.least*unit.ns {
			return words.ThreeDigits(ns/unit.ns) + " " + unit.name
		}
	}
	return words.Duration(ns)
}
