package diagnose

import (
	"fmt"
	"math"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

const adjtimexManual = "https://man7.org/linux/man-pages/man2/adjtimex.2.html"

const (
	// lostErrorNS is the maximum error that the kernel assumes after hours without a time
	// service (NTP_PHASE_LIMIT in kernel/time/ntp.c).
	lostErrorNS = 16_000_000_000
	// errorPPM is by how much the kernel lets the maximum error grow (MAXFREQ). From 1.1 s on,
	// nobody corrected the clock for 37 minutes: systemd-timesyncd does at most every 34 minutes
	// (PollIntervalMaxSec in timesyncd.conf(5)), others more often.
	errorPPM     = 500
	staleErrorNS = 1_100_000_000
)

// unsynchronised finds a wall clock that nothing synchronises, as far as the kernel knows, or
// whose time service has stopped.
func unsynchronised(d *result.Document) *result.Finding {
	sync := d.Host.TimeSync
	if sync == nil {
		return w32timeOff(d)
	}
	if sync.Synchronised && sync.MaxErrorNS < staleErrorNS {
		return nil
	}
	errorText := "maximum error " + words.Duration(float64(sync.MaxErrorNS))
	if sync.Synchronised {
		return &result.Finding{
			Title:    "no time service has corrected the wall clock for some time",
			Evidence: []string{"adjtimex: " + errorText},
			Cause: fmt.Sprintf("The kernel lets the maximum error grow by %d ppm since the last correction, which was therefore at most %s ago. It calls the clock unsynchronised only at 16 s, after nine hours.",
				errorPPM, longDuration(float64(sync.MaxErrorNS)*1e6/errorPPM)),
			Remedies: advise(d, unsynchronisedRemedies...),
			Links:    []string{adjtimexManual},
		}
	}
	evidence := []string{"adjtimex: STA_UNSYNC, " + errorText}
	if sync.MaxErrorNS > 0 && sync.MaxErrorNS < staleErrorNS {
		return &result.Finding{
			Severity: result.Note,
			Title:    "a time service sets the wall clock, but the kernel does not know that it is synchronised",
			Evidence: evidence,
			Cause:    "Without a time service the kernel lets the maximum error grow to 16 s, so something sets it. chrony does, but clears STA_UNSYNC only if its configuration has rtcsync. Programs that ask the kernel see an unsynchronised clock.",
			Remedies: advise(d, "chrony-rtcsync"),
			Links:    []string{adjtimexManual, "https://chrony-project.org/documentation.html"},
		}
	}
	finding := &result.Finding{
		Title:    "the wall clock is not synchronised, as far as the kernel knows",
		Evidence: evidence,
		Cause:    "The kernel knows of no time service (chrony, ntpd, systemd-timesyncd) that synchronises the wall clock, or the service has not reached its servers yet. The tools of VMware, Hyper-V and VirtualBox, and WSL 2, set the clock without telling the kernel. Timestamps may be wrong; the cost of clocks is not affected.",
		Remedies: advise(d, unsynchronisedRemedies...),
		Links:    []string{adjtimexManual},
	}
	if sync.MaxErrorNS > 0 && sync.MaxErrorNS < lostErrorNS {
		finding.Cause = "A time service has set the wall clock, but not for some time, and the kernel does not know that it is synchronised. " + finding.Cause
	}
	if inWSL(d) {
		finding.Cause += " WSL 2 sets the clock from Windows. After a sleep of Windows, older versions do not, and the clock is behind."
	}
	if len(d.Host.TimeServices) > 0 {
		finding.Evidence = append(finding.Evidence, "running: "+words.List(serviceNames(d)))
	}
	if cloud := cloudOf(d.Host); cloud != nil {
		finding.Links = append(finding.Links, cloud.link)
	}
	return finding
}

// unsynchronisedRemedies are the names of the remedies for a clock that nothing synchronises.
var unsynchronisedRemedies = []string{"host-sets-clock", "wsl", "start-service", "cloud-time", "chrony-ptp", "load-ptp-kvm", "ptp-hyperv", "firecracker-clock"}

// A cloud is a provider that the firmware of its machines names, with its own time service.
type cloud struct{ vendor, product, advice, link string }

// clouds are recognised by vendor and product, as systemd does (src/basic/virt.c,
// dmi_vendor_table): Google also makes Chromebooks, and Microsoft the Surface.
var clouds = []cloud{
	{"Amazon EC2", "", "Amazon provides a time service at 169.254.169.123, and a PTP clock of the network adapter (ENA) on newer instances", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html"},
	{"Google", "Google Compute Engine", "Google provides a time service at metadata.google.internal", "https://cloud.google.com/compute/docs/instances/configure-ntp"},
	{"Microsoft Corporation", "Virtual Machine", "Azure and Hyper-V provide a PTP clock for chrony, /dev/ptp_hyperv", "https://learn.microsoft.com/en-us/azure/virtual-machines/linux/time-sync"},
}

func cloudOf(h result.Host) *cloud {
	if h.Machine == nil {
		return nil
	}
	for i, c := range clouds {
		if h.Machine.Vendor == c.vendor && (c.product == "" || h.Machine.Product == c.product) {
			return &clouds[i]
		}
	}
	return nil
}

const (
	// farOffNS is more than a time service corrects in its usual work.
	farOffNS = 10_000_000
	// usualTickNS is by how much the kernel advances the wall clock in a tick of USER_HZ (100
	// per second for every program).
	usualTickNS = 10_000_000
)

// changedTick reports whether a program has changed the tick, which changes the rate of the
// clocks.
func changedTick(sync result.TimeSync) bool { return sync.TickNS != 0 && sync.TickNS != usualTickNS }

// maxFrequencyPPM is the largest frequency correction that the kernel accepts: MAXFREQ in
// include/linux/timex.h.
const maxFrequencyPPM = 500

func tickLength(sync result.TimeSync) string {
	return words.Grouped(float64(sync.TickNS)/1e3, 0) + " µs"
}

// monotonicRate returns the share by which the tick and the frequency of adjtimex(2) make
// CLOCK_MONOTONIC and CLOCK_REALTIME run fast; negative if they run slow.
func monotonicRate(sync result.TimeSync) float64 {
	tick := 1.0
	if changedTick(sync) {
		tick = float64(sync.TickNS) / usualTickNS
	}
	return tick*(1+sync.FrequencyPPM/1e6) - 1
}

func slewed(d *result.Document) *result.Finding {
	sync := d.Host.TimeSync
	if sync == nil || rateAtLimit(d) != nil || twoServices(d) != nil {
		return nil
	}
	var evidence []string
	if math.Abs(float64(sync.OffsetNS)) > farOffNS {
		evidence = append(evidence, remaining(*sync))
	}
	if changedTick(*sync) {
		evidence = append(evidence, tickEvidence(*sync))
	}
	if math.Abs(sync.FrequencyPPM) >= frequencyLimit(*sync) {
		evidence = append(evidence, limitEvidence(*sync))
	}
	if evidence == nil {
		return nil
	}
	finding := &result.Finding{
		Title:    "the wall clock is being slewed",
		Evidence: evidence,
		Cause:    "A time service corrects the wall clock gradually: CLOCK_REALTIME and CLOCK_MONOTONIC run slightly fast or slow until it is right. CLOCK_MONOTONIC_RAW is not affected.",
		Links:    []string{adjtimexManual},
	}
	if setByHand(*sync) {
		finding.Cause = "A program set this rate, and the kernel knows of no time service that will reset it. Until then, CLOCK_REALTIME and CLOCK_MONOTONIC run fast or slow. CLOCK_MONOTONIC_RAW is not affected."
		finding.Remedies = advise(d, "reset-rate")
	}
	return finding
}

func remaining(sync result.TimeSync) string {
	return "adjtimex: remaining offset " + words.SignedDuration(float64(sync.OffsetNS))
}

func tickEvidence(sync result.TimeSync) string {
	return fmt.Sprintf("adjtimex: tick %s, which changes the rate by %s ppm", tickLength(sync), words.SignedPPM(float64(sync.TickNS-usualTickNS)/usualTickNS*1e6))
}

// setByHand reports whether the rate was set by a program that is no time service.
func setByHand(sync result.TimeSync) bool {
	return !sync.Synchronised && (changedTick(sync) || sync.OffsetNS == 0)
}

func stepped(d *result.Document) *result.Finding {
	if twoServices(d) != nil {
		return nil
	}
	evidence := broken(d, true)
	if isStepped(d) {
		evidence = append(evidence, steppedBy(d))
	}
	return &result.Finding{
		Title:    "the wall clock was stepped",
		Evidence: evidence,
		Cause:    "Somebody set it, or a time service or the hypervisor stepped it.",
		Remedies: advise(d, "slew"),
		Links:    linuxLinks(d, adjtimexManual),
	}
}

func steppedBy(d *result.Document) string {
	return fmt.Sprintf("during the run the wall clock jumped by %s against the monotonic clock", words.SignedDuration(float64(d.Conditions.WallStepNS)))
}
