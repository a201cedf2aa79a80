package diagnose

import (
	"math"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// toolOfHypervisor returns the program or driver by which the hypervisor may set the clock of a guest; "" if unknown.
func toolOfHypervisor(s *situation.Situation) string {
	if !s.IsGuest() || s.InWSL() {
		return ""
	}
	return map[string]string{
		"hyperv": "Hyper-V's time synchronisation (hv_utils)", "vmware": "VMware Tools",
		"virtualbox": "VirtualBox's Guest Additions",
	}[s.Host.Virtualization.System]
}

// twoServices finds two time services that correct each other. Either both run; or a guest with a time service was
// stepped while doctor measured, which suggests that the hypervisor sets the clock too.
func twoServices(s *situation.Situation) *result.Finding {
	if names := setting(s); len(names) > 1 {
		running := []string{"running: " + words.List(names)}
		return foundBy(s, append(running, steering(s)...), "two-time-services", "{services}", words.List(names))
	}
	if tool := toolOfHypervisor(s); tool != "" && s.IsStepped() && isSteered(s.Host.TimeSync) {
		return foundBy(s, steering(s), "two-time-services by-a-step", "{tool}", tool)
	}
	return nil
}

// isSteered reports whether a time service corrects the wall clock.
func isSteered(sync *result.TimeSync) bool {
	return sync != nil && (sync.Synchronised || sync.FrequencyPPM != 0)
}

func steering(s *situation.Situation) []string {
	var evidence []string
	if s.IsStepped() {
		evidence = append(evidence, steppedBy(s))
	}
	if sync := s.Host.TimeSync; sync != nil {
		if math.Abs(float64(sync.OffsetNS)) > farOffNS {
			evidence = append(evidence, remaining(*sync))
		}
		if atLimit(*sync) {
			evidence = append(evidence, limitEvidence(*sync))
		}
	}
	return evidence
}

// rateAtLimit finds a clock source that runs at a wrong rate: a time service corrects it as far as the kernel allows.
// The remaining offset shows whether that is not enough, or whether the service recovers from a correction.
func rateAtLimit(s *situation.Situation) *result.Finding {
	sync := s.Host.TimeSync
	if sync == nil || !atLimit(*sync) || setByHand(*sync) {
		return nil
	}
	rate := monotonicRate(*sync)
	direction, wrong := "slow", "loses"
	if rate < 0 {
		direction, wrong = "fast", "gains"
	}
	evidence, name, much, still := []string{limitEvidence(*sync)}, "clock-rate", "as much as the kernel can correct, or more", ""
	if math.Abs(float64(sync.OffsetNS)) > farOffNS {
		evidence = append(evidence, remaining(*sync))
		much, still = "more than the kernel can correct", " The wall clock still "+wrong+" time."
		name += words.Either(float64(sync.OffsetNS)*rate > 0, "", " other-sign")
	}
	return foundBy(s, evidence, name, "{slow}", direction, "{by how much}", much, "{still}", still, "{name}", named(s.ClockSource))
}

// named returns a name to be added after a noun; "" if it is unknown.
func named(name string) string {
	return words.Either(name == "", "", " ("+name+")")
}
