package diagnose

import (
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// disrupted finds what the hypervisor reports by its VMClock: disruptions, and that the VMClock is not reliable.
func disrupted(s *situation.Situation) *result.Finding {
	clock := s.Host.VMClock
	if clock == nil {
		return nil
	}
	finding := &result.Finding{Links: newWhy(s, "vm-disrupted").links}
	if clock.Disruptions > 0 {
		times := words.Plural(int(clock.Disruptions), "time")
		finding = foundBy(s, nil, "vm-disrupted", "{times}", times)
		host, sync := s.HostClock(), s.Host.TimeSync
		switch {
		case host != nil && host.OffsetNS != nil && !isOff(*host):
		case sync != nil && sync.Synchronised && sync.MaxErrorNS < staleErrorNS:
			finding.Cause += " The kernel calls the wall clock synchronised, which after a pause it does for " +
				"hours: compare the time with another machine."
		default:
			finding = foundBy(s, nil, "vm-disrupted uncorrected", "{times}", times)
		}
		finding.Evidence = append(finding.Evidence, disruptionEvidence(*clock))
	}
	if clock.Status == result.UnreliableVMClock {
		finding.Severity, finding.Title = result.Warn, "the hypervisor calls its VMClock unreliable"
		finding.Evidence = append(finding.Evidence, "VMClock: clock status "+clock.Status)
	}
	return finding
}
