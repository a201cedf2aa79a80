package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// toolOfHypervisor returns the program or driver by which the hypervisor may set the clock of a guest; "" if it has none.
func toolOfHypervisor(d *result.Document) string {
	if !isGuest(d) || inWSL(d) {
		return ""
	}
	return map[string]string{
		"hyperv": "Hyper-V's time synchronisation (hv_utils)", "vmware": "VMware Tools", "virtualbox": "VirtualBox's Guest Additions",
	}[d.Host.Virtualization.System]
}

// setting returns the services that set or slew the clock all the time. hv_utils only steps it
// after a pause, unless timesync_implicit is set or the kernel is older than 4.11
// (drivers/hv/hv_util.c, 3716a49a). Whether vmtoolsd synchronises is not known; off is the default.
func setting(d *result.Document) []string {
	var names []string
	for _, s := range d.Host.TimeServices {
		switch {
		case s.Name == "vmtoolsd":
		case s.Name == "hyperv-timesync" && s.Setting != "timesync_implicit=Y" && since(4, 11)(d):
		default:
			names = append(names, s.Name)
		}
	}
	return names
}

// twoServices finds two time services that correct each other. They are seen running; or a guest
// whose clock a time service synchronises was stepped while doctor measured, which suggests that the
// hypervisor sets it too.
func twoServices(d *result.Document) *result.Finding {
	finding := &result.Finding{
		Title:    "two time services correct the wall clock",
		Remedies: advise(d, "one-service-hyperv", "one-service-vmware", "one-service-vbox"),
		Links:    []string{"https://chrony-project.org/faq.html", adjtimexManual},
	}
	if names := setting(d); len(names) > 1 {
		finding.Title += ": " + words.List(names)
		finding.Evidence = []string{"running: " + words.List(names)}
		finding.Cause = "Each moves the clock to its own time, and takes the correction of the other for an error. The clock is stepped again and again, or its rate is corrected up to the limit."
		if len(finding.Remedies) == 0 {
			finding.Remedies = advise(d, "one-service")
		}
	} else if tool, sync := toolOfHypervisor(d), d.Host.TimeSync; tool != "" && isStepped(d) && sync != nil && (sync.Synchronised || sync.FrequencyPPM != 0) {
		finding.Title = "the wall clock is stepped while a time service corrects it: probably two of them"
		finding.Cause = fmt.Sprintf("Probably %s sets the clock, and a time service of this machine corrects it: each takes the correction of the other for an error. This is a guess, by the step during the measurement.", tool)
	} else {
		return nil
	}
	finding.Evidence = append(finding.Evidence, steering(d)...)
	return finding
}

func isStepped(d *result.Document) bool {
	return d.Conditions != nil && d.Conditions.WallStepNS != 0
}

func steering(d *result.Document) []string {
	var evidence []string
	if isStepped(d) {
		evidence = append(evidence, steppedBy(d))
	}
	if sync := d.Host.TimeSync; sync != nil {
		if math.Abs(float64(sync.OffsetNS)) > farOffNS {
			evidence = append(evidence, remaining(*sync))
		}
		if atLimit(*sync) {
			evidence = append(evidence, limitEvidence(*sync))
		}
	}
	return evidence
}

// frequencyLimit returns the largest frequency correction of the kernel in ppm.
func frequencyLimit(sync result.TimeSync) float64 {
	return cmp.Or(sync.FrequencyLimitPPM, maxFrequencyPPM)
}

// maxTickPart is the largest change of the tick that adjtimex(2) accepts: 900000/HZ to 1100000/HZ.
const maxTickPart = 0.1

// atLimit reports whether the kernel corrects the rate of the clock as far as it can.
func atLimit(sync result.TimeSync) bool {
	return math.Abs(sync.FrequencyPPM) >= frequencyLimit(sync) ||
		changedTick(sync) && math.Abs(float64(sync.TickNS)/usualTickNS-1) >= maxTickPart*(1-1e-9)
}

func limitEvidence(sync result.TimeSync) string {
	if math.Abs(sync.FrequencyPPM) >= frequencyLimit(sync) {
		return fmt.Sprintf("adjtimex: frequency %s ppm, the limit of the kernel", words.SignedPPM(sync.FrequencyPPM))
	}
	return tickEvidence(sync)
}

// rateAtLimit finds a clock source that runs at a wrong rate: a time service corrects it as far as the kernel allows. The
// remaining offset shows whether that is not enough, or whether the service recovers from a correction.
func rateAtLimit(d *result.Document) *result.Finding {
	sync := d.Host.TimeSync
	if sync == nil || !atLimit(*sync) || setByHand(*sync) || twoServices(d) != nil {
		return nil
	}
	rate := monotonicRate(*sync)
	direction, wrong := "slow", "loses"
	if rate < 0 {
		direction, wrong = "fast", "gains"
	}
	finding := &result.Finding{
		Title:    fmt.Sprintf("the clock source runs %s by as much as the kernel can correct, or more", direction),
		Evidence: []string{limitEvidence(*sync)},
		Cause: fmt.Sprintf("A time service corrects the rate of the clock by the limit of the kernel. The clock source%s therefore runs at a wrong rate: %s",
			named(clockSource(d)), wrongRate),
		Remedies: advise(d, "start-again", "hypervisor-clock", "kvm-clock-in-guest", "boot-hpet"),
		Links:    []string{adjtimexManual, "https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	}
	if !isGuest(d) {
		finding.Remedies = slices.Insert(finding.Remedies, 0, advise(d, "reboot")...)
	}
	if math.Abs(float64(sync.OffsetNS)) <= farOffNS {
		return finding
	}
	finding.Evidence = append(finding.Evidence, remaining(*sync))
	if float64(sync.OffsetNS)*rate > 0 {
		finding.Title = fmt.Sprintf("the clock source runs %s by more than the kernel can correct", direction)
		finding.Cause += fmt.Sprintf(" The wall clock still %s time.", wrong)
		return finding
	}
	finding.Title = fmt.Sprintf("the clock source may run %s by more than the kernel can correct", direction)
	finding.Cause = "A time service corrects the rate of the clock by the limit of the kernel, but the remaining offset has the other sign: " +
		"the service may be recovering from a correction. If the rate is still at its limit in an hour, the clock source" + named(clockSource(d)) +
		" runs at a wrong rate: " + wrongRate
	if !isGuest(d) { // which may have been migrated
		finding.Severity, finding.Remedies = result.Note, nil
	}
	return finding
}

// wrongRate is why a clock source runs at a wrong rate.
const wrongRate = "the kernel measured the rate of the counter wrongly when it booted, or the machine was migrated to a host with another rate."

// named returns a name to be added after a noun; "" if it is unknown.
func named(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}
