package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/diagnose/remedy"
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
	why := offsetCauses[slices.IndexFunc(offsetCauses, func(c offsetCause) bool { return c.where(s) })]
	finding := &result.Finding{
		Severity: why.severity,
		Title:    fmt.Sprintf("the wall clock is %s %s", awayFrom(*far), other),
		Evidence: evidence,
		Cause:    why.cause,
		Remedies: remedy.For(s, why.remedies...),
		Links:    append(slices.Clone(why.links), adjtimexManual),
	}
	usable := math.Abs(float64(*far.OffsetNS)) <= usableOffsetNS
	if why.severity == "" && usable {
		finding.Severity = result.Warn
	}
	if clock := s.Host.VMClock; clock != nil && clock.Disruptions > 0 {
		finding.Evidence = append(finding.Evidence, disruptionEvidence(*clock))
	}
	if sync := s.Host.TimeSync; sync != nil && sync.Synchronised {
		finding.Evidence = append(finding.Evidence, "adjtimex: synchronised, as far as the kernel knows")
		if why.severity == "" && situation.IsRTC(*far) { // which may drift, in a virtual machine too
			finding.Cause += " But the kernel calls the clock synchronised, which after a pause it does for hours: the real-time clock may be the wrong one. Compare the time with another machine first."
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

// An offsetCause is why a wall clock is off, by the platform.
type offsetCause struct {
	where    func(*situation.Situation) bool
	severity string // "" if it depends on the offset
	cause    string
	remedies []string // names
	links    []string
}

// offsetCauses are the known causes; the first that applies counts, and the last always does.
var offsetCauses = []offsetCause{
	{where: (*situation.Situation).InWSL,
		cause:    "While Windows sleeps, the virtual machine of WSL 2 does not run, and nothing moves its wall clock forward afterwards. Older versions of WSL do not correct it.",
		remedies: []string{"set-from-rtc", "wsl"},
		links:    []string{"https://github.com/microsoft/WSL/issues/10006"}},
	{where: (*situation.Situation).InContainer,
		cause:    "A container has the clock of its host, so the clock of the host is wrong.",
		remedies: []string{"host-sets-clock"}},
	{where: func(s *situation.Situation) bool { return s.GuestUnder("firecracker") },
		cause:    "The machine was paused, or restored from a snapshot. Its wall clock then goes on from where it was. On restore Firecracker can advance kvm-clock (clock_realtime), but not the TSC.",
		remedies: []string{"set-from-rtc", "step-at-start", "chrony-ptp", "firecracker-clock"},
		links:    []string{remedy.FirecrackerSnapshots}},
	{where: (*situation.Situation).IsGuest,
		cause:    "The machine was paused, suspended with its host, or restored from a snapshot. Its wall clock then goes on from where it was, until a time service or the tools of the hypervisor set it.",
		remedies: []string{"set-from-rtc", "step-at-start", "chrony-ptp", "load-ptp-kvm", "ptp-hyperv"}},
	{where: func(s *situation.Situation) bool { return s.Host.TimeSync != nil && s.Host.TimeSync.Synchronised },
		severity: result.Note,
		cause:    "A time service synchronises the wall clock, so the real-time clock is the wrong one. The next boot starts with its time, until the service has reached its servers.",
		remedies: []string{"write-rtc"}},
	{where: func(*situation.Situation) bool { return true },
		severity: result.Warn,
		cause:    "Nothing synchronises the wall clock, so either may be wrong: the wall clock after a sleep or after somebody set it, or the real-time clock if its battery is empty.",
		remedies: []string{"start-service", "set-from-rtc"}},
}
