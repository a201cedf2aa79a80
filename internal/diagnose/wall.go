package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

const farOffNS = 10_000_000 // more than a time service corrects in its usual work

func tickLength(sync result.TimeSync) string {
	return words.Grouped(float64(sync.TickNS)/1e3, 0) + " µs"
}

// monotonicRate returns the share by which the tick and the frequency of adjtimex(2) make CLOCK_MONOTONIC and
// CLOCK_REALTIME run fast; negative if they run slow.
func monotonicRate(sync result.TimeSync) float64 {
	tick := words.Either(situation.ChangedTick(sync), float64(sync.TickNS)/situation.UsualTickNS, 1.0)
	return tick*(1+sync.FrequencyPPM/1e6) - 1
}

func remaining(sync result.TimeSync) string {
	return "adjtimex: remaining offset " + words.SignedDuration(float64(sync.OffsetNS))
}

func tickEvidence(sync result.TimeSync) string {
	ppm := float64(sync.TickNS-situation.UsualTickNS) / situation.UsualTickNS * 1e6
	return fmt.Sprintf("adjtimex: tick %s, which changes the rate by %s ppm", tickLength(sync), words.SignedPPM(ppm))
}

// setByHand reports whether the rate was set by another program than a time service.
func setByHand(sync result.TimeSync) bool {
	return !sync.Synchronised && (situation.ChangedTick(sync) || sync.OffsetNS == 0)
}

func steppedBy(s *situation.Situation) string {
	return fmt.Sprintf("during the run the wall clock jumped by %s against a clock that is never set",
		words.SignedDuration(float64(s.Conditions.WallStepNS)))
}

// frequencyLimit returns the largest frequency correction of the kernel in ppm.
func frequencyLimit(sync result.TimeSync) float64 {
	return cmp.Or(sync.FrequencyLimitPPM, situation.MaxFrequencyPPM)
}

const maxTickPart = 0.1 // the largest change of the tick that adjtimex(2) accepts: 900000/HZ to 1100000/HZ

// atLimit reports whether the kernel corrects the rate of the clock as far as it can.
func atLimit(sync result.TimeSync) bool {
	return math.Abs(sync.FrequencyPPM) >= frequencyLimit(sync) ||
		situation.ChangedTick(sync) && math.Abs(float64(sync.TickNS)/situation.UsualTickNS-1) >= maxTickPart*(1-1e-9)
}

func limitEvidence(sync result.TimeSync) string {
	if math.Abs(sync.FrequencyPPM) < frequencyLimit(sync) {
		return tickEvidence(sync)
	}
	return fmt.Sprintf("adjtimex: frequency %s ppm, the limit of the kernel", words.SignedPPM(sync.FrequencyPPM))
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

const (
	// errorPPM is the growth of the maximum error in the kernel (MAXFREQ). From 1.1 s on, the last correction was 37
	// minutes ago: systemd-timesyncd corrects at most every 34 minutes (PollIntervalMaxSec in timesyncd.conf(5)), other
	// services more often.
	errorPPM     = 500
	staleErrorNS = 1_100_000_000
)

// unsynchronised finds a wall clock without synchronisation, as far as the kernel knows, or whose time service has
// stopped.
func unsynchronised(s *situation.Situation) *result.Finding {
	sync := s.Host.TimeSync
	if sync == nil {
		return w32timeOff(s)
	}
	if sync.Synchronised && sync.MaxErrorNS < staleErrorNS {
		return nil
	}
	errorText := "maximum error " + words.Duration(float64(sync.MaxErrorNS))
	if sync.Synchronised {
		since := longDuration(float64(sync.MaxErrorNS) * 1e6 / errorPPM)
		return foundBy(s, []string{"adjtimex: " + errorText}, "unsynchronised for-some-time", "{ppm}",
			strconv.Itoa(errorPPM), "{time}", since)
	}
	evidence := []string{"adjtimex: STA_UNSYNC, " + errorText}
	if sync.MaxErrorNS > 0 && sync.MaxErrorNS < staleErrorNS {
		return foundBy(s, evidence, "unsynchronised by-the-flag-only")
	}
	if len(s.Host.TimeServices) > 0 {
		evidence = append(evidence, "running: "+words.List(s.ServiceNames()))
	}
	finding := foundBy(s, evidence, "unsynchronised")
	if slices.Contains(setting(s), "hyperv-timesync") {
		finding.Severity = result.Note // Hyper-V or WSL sets the clock all the time, without the kernel's flag
	}
	if cloud := remedy.CloudOf(s); cloud != nil && cloud.Link != "" {
		finding.Links = append(finding.Links, cloud.Link)
	}
	return finding
}

func slewed(s *situation.Situation) *result.Finding {
	sync := s.Host.TimeSync
	if sync == nil {
		return nil
	}
	var evidence []string
	if math.Abs(float64(sync.OffsetNS)) > farOffNS {
		evidence = append(evidence, remaining(*sync))
	}
	if situation.ChangedTick(*sync) {
		evidence = append(evidence, tickEvidence(*sync))
	}
	if math.Abs(sync.FrequencyPPM) >= frequencyLimit(*sync) {
		evidence = append(evidence, limitEvidence(*sync))
	}
	return foundBy(s, evidence, words.Either(setByHand(*sync), "slewed by-hand", "slewed"))
}

func stepped(s *situation.Situation) *result.Finding {
	if !s.IsStepped() {
		return nil
	}
	return foundBy(s, []string{steppedBy(s)}, "stepped")
}

// setting returns the services that set or slew the clock all the time. hv_utils only steps it after a pause, unless
// timesync_implicit is set or the kernel is older than 4.11 (drivers/hv/hv_util.c, 3716a49a). Whether vmtoolsd
// synchronises is unknown; off is the default.
func setting(s *situation.Situation) []string {
	var names []string
	for _, service := range s.Host.TimeServices {
		switch {
		case service.Name == "vmtoolsd":
		case service.Name == "hyperv-timesync" && service.Setting != "timesync_implicit=Y" && !s.OlderThan(4, 11):
		default:
			names = append(names, service.Name)
		}
	}
	return names
}
