package diagnose

import (
	"cmp"
	"fmt"
	"math"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// usableOffsetNS is the difference that Kerberos accepts (clockskew in krb5.conf(5)), in ns. Beyond it, logins and
// certificates begin to fail.
const usableOffsetNS = 300e9

// isOff reports whether the wall clock differs from another clock by more than the resolution of that clock and the
// bound of the reading.
func isOff(w result.WallOffset) bool {
	return w.OffsetNS != nil && math.Abs(float64(*w.OffsetNS)) > situation.SilentOffsetNS+float64(w.BoundNS)
}

// wallOff finds a wall clock that differs from the clocks which continue while the machine does not run: the clock of
// the hypervisor's host, and the real-time clock.
func wallOff(s *situation.Situation) *result.Finding {
	var far *result.WallOffset
	var evidence []string
	for i, w := range s.Host.WallOffsets {
		if !situation.IsHostClock(w) && !situation.IsRTC(w) || w.OffsetNS == nil {
			continue
		}
		evidence = append(evidence, offsetEvidence(w))
		if isOff(w) && (far == nil || situation.IsHostClock(w) && !situation.IsHostClock(*far)) {
			far = &s.Host.WallOffsets[i]
		}
	}
	if far == nil {
		return nil
	}
	if ptp := s.HostClock(); ptp != nil && ptp.OffsetNS != nil && !isOff(*ptp) {
		return nil // only the real-time clock is off, and a virtual one does not matter
	}
	other := words.Either(situation.IsHostClock(*far), "the host's clock", "the real-time clock")
	severity := offSeverity(s)
	finding := foundBy(s, evidence, "wall-clock-off", "{away from}", awayFrom(*far), "{other}", other)
	finding.Severity = severity
	usable := math.Abs(float64(*far.OffsetNS)) <= usableOffsetNS
	if severity == "" && usable {
		finding.Severity = result.Warn
	}
	if clock := s.Host.VMClock; clock != nil && clock.Disruptions > 0 {
		finding.Evidence = append(finding.Evidence, disruptionEvidence(*clock))
	}
	if s.IsSynchronised() {
		finding.Evidence = append(finding.Evidence, "adjtimex: synchronised, as far as the kernel knows")
		if severity == "" && situation.IsRTC(*far) { // which may drift, in a virtual machine too
			finding.Cause += " But the kernel calls the clock synchronised, which after a pause it does for hours: the " +
				"real-time clock may be the wrong one. Compare the time with another machine first."
			finding.Severity = words.Either(usable, result.Note, result.Warn)
		}
	}
	return finding
}

func offsetEvidence(w result.WallOffset) string {
	name := cmp.Or(w.Name, "no name")
	text := fmt.Sprintf("the wall clock is %s /dev/%s (%s)", awayFrom(w), w.Against, name)
	if w.BoundNS > 0 {
		text += ", ± " + words.Duration(float64(w.BoundNS))
	}
	if w.ZoneNS != 0 {
		text += ", with the real-time clock in local time"
	}
	return text
}

func awayFrom(w result.WallOffset) string {
	where := words.Either(*w.OffsetNS < 0, "ahead of", "behind")
	return longDuration(math.Abs(float64(*w.OffsetNS))) + " " + where
}

// offSeverity returns the severity of a wall clock that is off; "" if it depends on the offset.
func offSeverity(s *situation.Situation) string {
	if s.InWSL() || s.InContainer() || s.IsGuest() {
		return ""
	}
	return words.Either(s.IsSynchronised(), result.Note, result.Warn)
}

// disruptionEvidence returns the marker of a VMClock that proves disruptions.
func disruptionEvidence(clock result.VMClock) string {
	text := "VMClock: disruption marker " + clock.DisruptionMarker
	if clock.Generation != "" {
		text += ", generation " + clock.Generation
	}
	return text + ": " + words.Plural(int(clock.Disruptions), "disruption")
}
