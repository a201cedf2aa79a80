package diagnose

import (
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

const vmClockSpecification = "https://uapi-group.org/specifications/specs/vmclock/"

// disrupted finds what the hypervisor reports about the counter of its guest: disruptions, an announced one, and a
// counter that is not reliable.
func disrupted(s *situation.Situation) *result.Finding {
	clock := s.Host.VMClock
	if clock == nil {
		return nil
	}
	finding := &result.Finding{Severity: result.Note, Links: []string{vmClockSpecification}}
	if clock.DisruptionDue != "" {
		finding.Title = "the hypervisor will pause or move the virtual machine within about " + clock.DisruptionDue
		finding.Evidence = append(finding.Evidence, "VMClock: a disruption is announced")
		finding.Cause = "Its clocks will stand still meanwhile, and its counter may step. If that matters, move the work to another machine."
	}
	if clock.Disruptions > 0 {
		finding.Title = "the virtual machine was restored or migrated " + words.Plural(int(clock.Disruptions), "time")
		finding.Evidence = append(finding.Evidence, disruptionEvidence(*clock))
		finding.Cause = "Its clocks stood still or stepped, and its counter may run at another rate since. A time service has to begin anew, and times and rates that programs had cached are wrong."
		names := []string{"chrony-ptp", "step-whenever", "load-ptp-kvm", "ptp-hyperv", "firecracker-clock"}
		if !corrected(s) {
			finding.Severity = result.Warn
			finding.Cause += " Nothing shows that the wall clock was corrected."
			names = append([]string{"set-after-pause"}, names...)
		}
		finding.Remedies = remedy.For(s, names...)
	}
	if clock.Status == result.UnreliableVMClock {
		finding.Severity, finding.Title = result.Warn, "the hypervisor calls the counter of the virtual machine unreliable"
		finding.Evidence = append(finding.Evidence, "VMClock: clock status "+clock.Status)
	}
	return finding
}

// corrected reports whether the wall clock agrees with the clock of the host, or, without one, is synchronised as far
// as the kernel knows.
func corrected(s *situation.Situation) bool {
	if ptp := s.HostClock(); ptp != nil && ptp.OffsetNS != nil {
		return !isOff(*ptp)
	}
	sync := s.Host.TimeSync
	return sync != nil && sync.Synchronised && sync.MaxErrorNS < staleErrorNS
}

// disruptionEvidence returns the marker of a VMClock that proves disruptions.
func disruptionEvidence(clock result.VMClock) string {
	text := "VMClock: disruption marker " + clock.DisruptionMarker
	if clock.Generation != "" {
		text += ", generation " + clock.Generation
	}
	return text + ": " + words.Plural(int(clock.Disruptions), "disruption")
}
