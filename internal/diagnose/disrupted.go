package diagnose

import (
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

const vmClockSpecification = "https://uapi-group.org/specifications/specs/vmclock/"

// disrupted finds what the hypervisor reports by its VMClock: disruptions, and that the VMClock is not reliable.
func disrupted(s *situation.Situation) *result.Finding {
	clock := s.Host.VMClock
	if clock == nil {
		return nil
	}
	finding := &result.Finding{Severity: result.Note, Links: []string{vmClockSpecification}}
	if clock.Disruptions > 0 {
		finding.Title = "the virtual machine was restored or migrated at least " + words.Plural(int(clock.Disruptions), "time")
		finding.Evidence = append(finding.Evidence, disruptionEvidence(*clock))
		finding.Cause = "Its clocks stood still or stepped, and its counter may run at another rate since. A time service has to begin anew, and times and rates that programs had cached are wrong."
		names := []string{"chrony-ptp", "step-whenever", "load-ptp-kvm", "ptp-hyperv", "firecracker-clock"}
		host, sync := s.HostClock(), s.Host.TimeSync
		switch {
		case host != nil && host.OffsetNS != nil && !isOff(*host):
		case sync != nil && sync.Synchronised && sync.MaxErrorNS < staleErrorNS:
			finding.Cause += " The kernel calls the wall clock synchronised, which after a pause it does for hours: compare the time with another machine."
		default:
			finding.Severity = result.Warn
			finding.Cause += " Nothing shows that the wall clock was corrected."
			names = append([]string{"set-after-pause"}, names...)
		}
		finding.Remedies = remedy.For(s, names...)
	}
	if clock.Status == result.UnreliableVMClock {
		finding.Severity, finding.Title = result.Warn, "the hypervisor calls its VMClock unreliable"
		finding.Evidence = append(finding.Evidence, "VMClock: clock status "+clock.Status)
	}
	return finding
}

// disruptionEvidence returns the marker of a VMClock that proves disruptions.
func disruptionEvidence(clock result.VMClock) string {
	text := "VMClock: disruption marker " + clock.DisruptionMarker
	if clock.Generation != "" {
		text += ", generation " + clock.Generation
	}
	return text + ": " + words.Plural(int(clock.Disruptions), "disruption")
}
