package diagnose

import (
	"fmt"
	"math"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

const w32timeManual = "https://learn.microsoft.com/en-us/windows-server/networking/windows-time-service/windows-time-service-tools-and-settings"

// w32timeOff finds a Windows Time service that does not synchronise the wall clock. This is a note if Windows may start
// the service: on a machine outside of a domain, a scheduled task does.
func w32timeOff(s *situation.Situation) *result.Finding {
	if s.Host.Windows == nil || s.Host.Windows.W32Time == nil {
		return nil
	}
	service := *s.Host.Windows.W32Time
	finding := &result.Finding{
		Cause: "Another program may set the clock instead, such as another NTP service or the tools of a hypervisor. Timestamps may be wrong; the cost of clocks is not affected.",
		Links: []string{w32timeManual},
	}
	switch {
	case service.State == "running" && service.Type == "NoSync":
		finding.Title = "the Windows Time service runs, but does not synchronise the wall clock"
		finding.Remedies = remedy.For(s, "w32time-sync")
	case service.Start == "disabled" && (service.State == "stopped" || service.State == ""):
		finding.Title = "the Windows Time service is disabled, so it does not synchronise the wall clock"
		finding.Remedies = remedy.For(s, "w32time-start")
	case service.State != "stopped":
		return nil
	default:
		finding.Severity = result.Note
		finding.Title = "the Windows Time service is not running, so it does not synchronise the wall clock now"
		finding.Cause = "Windows starts it by a trigger or a scheduled task, and the clock drifts until then. " + finding.Cause
		finding.Remedies = remedy.For(s, "w32time-start")
	}
	finding.Evidence = []string{"W32Time: " + W32TimeText(service)}
	if a := s.Host.Windows.Adjustment; a != nil && a.AdjustedHz != a.NominalHz {
		finding.Evidence = append(finding.Evidence, "GetSystemTimeAdjustmentPrecise: "+AdjustmentText(*a))
	}
	return finding
}

// W32TimeText returns the facts of the Windows Time service in one line.
func W32TimeText(service result.W32Time) string {
	named := func(name, value string) string {
		if value == "" {
			return ""
		}
		return name + " " + value
	}
	return strings.Join(words.Present(service.State,
		named("start", service.Start), named("type", service.Type), named("servers", service.Servers)), ", ")
}

// AdjustmentText returns by how much a program has changed the rate of the wall clock. Microsoft's page calls the
// values frequencies, and its sample adds to them to make the clock fast. Which of them is right was not measured, so
// there is no sign.
func AdjustmentText(a result.Adjustment) string {
	ppm := math.Abs(float64(a.AdjustedHz)/float64(a.NominalHz)-1) * 1e6
	return fmt.Sprintf("a program sets the rate of the wall clock, %s ppm from the nominal rate", words.ThreeDigits(ppm))
}
