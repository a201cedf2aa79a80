package diagnose

import (
	"fmt"
	"math"
	"strings"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
)

const adjtimexManual = "https://man7.org/linux/man-pages/man2/adjtimex.2.html"

// lostErrorNS is the maximum error that the kernel assumes after hours without a time
// service (NTP_PHASE_LIMIT in kernel/time/ntp.c).
const lostErrorNS = 16_000_000_000

// unsynchronised finds a wall clock that nothing synchronises, as far as the kernel knows.
func unsynchronised(d *result.Document) *result.Finding {
	sync := d.Host.TimeSync
	if sync == nil || sync.Synchronised {
		return nil
	}
	evidence := []string{"adjtimex: STA_UNSYNC, maximum error " + words.Duration(float64(sync.MaxErrorNS))}
	if sync.MaxErrorNS > 0 && sync.MaxErrorNS < lostErrorNS {
		return &result.Finding{
			Severity: result.Note,
			Title:    "a time service sets the wall clock, but the kernel does not know that it is synchronised",
			Evidence: evidence,
			Cause:    "Without a time service the kernel lets the maximum error grow to 16 s, so something sets it. chrony does, but clears STA_UNSYNC only if its configuration has rtcsync. Programs that ask the kernel see an unsynchronised clock.",
			Remedies: []result.Remedy{{Advice: "With chrony, add rtcsync to its configuration (/etc/chrony.conf or /etc/chrony/chrony.conf)", Commands: []string{"chronyc tracking"}}},
			Links:    []string{adjtimexManual, "https://chrony-project.org/documentation.html"},
		}
	}
	finding := &result.Finding{
		Title:    "the wall clock is not synchronised, as far as the kernel knows",
		Evidence: evidence,
		Cause:    "The kernel knows of no time service (chrony, ntpd, systemd-timesyncd) that synchronises the wall clock, or the service has not reached its servers yet. The tools of VMware, Hyper-V and VirtualBox, and WSL 2, set the clock without telling the kernel. Timestamps may be wrong; the cost of clocks is not affected.",
		Remedies: []result.Remedy{{
			Advice: "Check whether a time service runs, and start the one that is installed",
			Commands: []string{
				"timedatectl; chronyc tracking",
				"sudo systemctl enable --now chronyd # Fedora, RHEL, Amazon; chrony on Debian, Ubuntu",
				"sudo systemctl enable --now systemd-timesyncd # where there is no chrony",
			},
			Risk: "If the clock is far off, the service may step it when it starts. Some programs cannot handle that.",
		}},
		Links: []string{adjtimexManual},
	}
	if d.Host.Container != "" {
		finding.Remedies = []result.Remedy{{Advice: "Start a time service on the host: a container uses the clock of the host"}}
	}
	if cloud := cloudOf(d.Host); cloud != nil {
		finding.Remedies = append(finding.Remedies, result.Remedy{Advice: cloud.advice})
		finding.Links = append(finding.Links, cloud.link)
	}
	return finding
}

// A cloud is a provider that the firmware of its machines names, with its own time service.
type cloud struct{ vendor, advice, link string }

var clouds = []cloud{
	{"Amazon", "Amazon provides a time service at 169.254.169.123, and a PTP clock on newer instances", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html"},
	{"Google", "Google provides a time service at metadata.google.internal", "https://cloud.google.com/compute/docs/instances/configure-ntp"},
	{"Microsoft", "Azure and Hyper-V provide a PTP clock for chrony, /dev/ptp_hyperv", "https://learn.microsoft.com/en-us/azure/virtual-machines/linux/time-sync"},
}

func cloudOf(h result.Host) *cloud {
	if h.Machine == nil {
		return nil
	}
	for i := range clouds {
		if strings.Contains(h.Machine.Vendor, clouds[i].vendor) {
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

// tickLength returns the tick as adjtimex --print shows it.
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

// slewed finds a wall clock that is being slewed, synchronised or not.
func slewed(d *result.Document) *result.Finding {
	sync := d.Host.TimeSync
	if sync == nil {
		return nil
	}
	var evidence []string
	if math.Abs(float64(sync.OffsetNS)) > farOffNS {
		evidence = append(evidence, "adjtimex: remaining offset "+words.SignedDuration(float64(sync.OffsetNS)))
	}
	if changedTick(*sync) {
		evidence = append(evidence, fmt.Sprintf("adjtimex: tick %s, which changes the rate by %s ppm", tickLength(*sync), words.SignedPPM(float64(sync.TickNS-usualTickNS)/usualTickNS*1e6)))
	}
	if math.Abs(sync.FrequencyPPM) >= maxFrequencyPPM {
		evidence = append(evidence, fmt.Sprintf("adjtimex: frequency %s ppm, the limit of the kernel", words.SignedPPM(sync.FrequencyPPM)))
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
	if !sync.Synchronised && (changedTick(*sync) || sync.OffsetNS == 0) {
		finding.Cause = "A program set this rate, and the kernel knows of no time service that will reset it. Until then, CLOCK_REALTIME and CLOCK_MONOTONIC run fast or slow. CLOCK_MONOTONIC_RAW is not affected."
		finding.Remedies = []result.Remedy{{
			Advice:   "Start a time service, or reset the rate (adjtimex is in the package of the same name)",
			Commands: []string{"adjtimex --print", "sudo adjtimex --tick 10000 --frequency 0"},
			Risk:     "The rate may be right: it may correct a clock source that runs at a wrong rate. Check before and after whether the clock is off.",
		}}
	}
	return finding
}

// stepped finds a wall clock that jumped during the run.
func stepped(d *result.Document) *result.Finding {
	if compare.Of(d).Conditions == nil || compare.Of(d).Conditions.WallStepNS == 0 {
		return nil
	}
	finding := &result.Finding{
		Title:    "the wall clock was stepped",
		Evidence: []string{fmt.Sprintf("during the run the wall clock jumped by %s against the monotonic clock", words.SignedDuration(float64(compare.Of(d).Conditions.WallStepNS)))},
		Cause:    "Somebody set it, or a time service or the hypervisor stepped it.",
		Remedies: []result.Remedy{{
			Advice: "Measure intervals with a monotonic clock, which is never stepped. Configure the time service to slew",
		}},
		Links: linuxLinks(d, adjtimexManual),
	}
	if onLinux(d) {
		finding.Remedies[0].Advice = "Measure intervals with CLOCK_MONOTONIC, which is never stepped. Configure the time service to slew (chrony: makestep only at its start)"
	}
	return finding
}
