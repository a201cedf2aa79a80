package diagnose

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/result"
)

const adjtimexManual = "https://man7.org/linux/man-pages/man2/adjtimex.2.html"

// lostErrorNS is the error that the kernel reckons with when nobody has told it of a
// better one for hours (NTP_PHASE_LIMIT of kernel/time/ntp.c).
const lostErrorNS = 16_000_000_000

// unsynchronised finds a wall clock that nobody keeps right, as far as the kernel knows.
func unsynchronised(d *result.Document) *result.Finding {
	sync := d.Host.TimeSync
	if sync == nil || sync.Synchronised {
		return nil
	}
	evidence := []string{"adjtimex: STA_UNSYNC; the kernel reckons with an error of up to " + nanoseconds(float64(sync.MaxErrorNS))}
	if sync.MaxErrorNS > 0 && sync.MaxErrorNS < lostErrorNS {
		return &result.Finding{
			Severity: result.Note,
			Title:    "a service sets the wall clock, and does not tell the kernel that it is synchronised",
			Evidence: evidence,
			Cause:    "Somebody has set the error, which the kernel lets grow to 16 s otherwise: chrony does so, and takes STA_UNSYNC away only where its configuration says rtcsync. Programs that ask the kernel take the clock for unsynchronised.",
			Remedies: []result.Remedy{{Advice: "With chrony, put rtcsync into its configuration (/etc/chrony.conf or /etc/chrony/chrony.conf)", Commands: []string{"chronyc tracking"}}},
			Links:    []string{adjtimexManual, "https://chrony-project.org/documentation.html"},
		}
	}
	finding := &result.Finding{
		Title:    "the wall clock is not synchronised, as far as the kernel knows",
		Evidence: evidence,
		Cause:    "The kernel does not know of a time service (chrony, ntpd, systemd-timesyncd) that keeps the wall clock right, or the service has not yet reached its servers. The tools of VMware, Hyper-V and VirtualBox, and WSL 2, set the clock and do not tell the kernel. Timestamps may be off; what clocks cost is not touched.",
		Remedies: []result.Remedy{{
			Advice: "See whether a time service runs, and start the one that is installed",
			Commands: []string{
				"timedatectl; chronyc tracking",
				"sudo systemctl enable --now chronyd # Fedora, RHEL, Amazon; chrony on Debian, Ubuntu",
				"sudo systemctl enable --now systemd-timesyncd # where there is no chrony",
			},
			Risk: "A clock that is far off may be stepped when the service starts; some programs do not bear that.",
		}},
		Links: []string{adjtimexManual},
	}
	if d.Host.Container != "" {
		finding.Remedies = []result.Remedy{{Advice: "Start a time service on the host: a container has the host's clock"}}
	}
	if cloud := cloudOf(d.Host); cloud != nil {
		finding.Remedies = append(finding.Remedies, result.Remedy{Advice: cloud.advice})
		finding.Links = append(finding.Links, cloud.link)
	}
	return finding
}

// A cloud is one that says of itself in its machines' firmware who it is, and has a
// time service of its own.
type cloud struct{ vendor, advice, link string }

var clouds = []cloud{
	{"Amazon", "Amazon has a time service at 169.254.169.123, and a PTP clock on newer instances", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html"},
	{"Google", "Google has a time service at metadata.google.internal", "https://cloud.google.com/compute/docs/instances/configure-ntp"},
	{"Microsoft", "Azure and Hyper-V give their machines a PTP clock, /dev/ptp_hyperv, for chrony", "https://learn.microsoft.com/en-us/azure/virtual-machines/linux/time-sync"},
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
	// farOffNS is from where on the wall clock is being moved by more than what a time
	// service does every minute.
	farOffNS = 10_000_000
	// usualTickNS is how far the kernel moves the wall clock in a tick of USER_HZ,
	// which is 100 a second for every program.
	usualTickNS = 10_000_000
)

// otherTick reports whether a time service moves the wall clock by another tick.
func otherTick(sync result.TimeSync) bool { return sync.TickNS != 0 && sync.TickNS != usualTickNS }

// mostFrequencyPPM is the largest correction of the frequency that the kernel takes:
// MAXFREQ of include/linux/timex.h.
const mostFrequencyPPM = 500

// monotonicRate returns by what share the kernel makes CLOCK_MONOTONIC and CLOCK_REALTIME
// run fast, by the tick and the frequency of adjtimex(2); negative where they run slow.
func monotonicRate(sync result.TimeSync) float64 {
	tick := 1.0
	if otherTick(sync) {
		tick = float64(sync.TickNS) / usualTickNS
	}
	return tick*(1+sync.FrequencyPPM/1e6) - 1
}

// slewed finds a wall clock that is being moved, whether or not the kernel takes it to be
// synchronised.
func slewed(d *result.Document) *result.Finding {
	sync := d.Host.TimeSync
	if sync == nil {
		return nil
	}
	var evidence []string
	if math.Abs(float64(sync.OffsetNS)) > farOffNS {
		evidence = append(evidence, fmt.Sprintf("adjtimex: still to be moved by %s", time.Duration(sync.OffsetNS)))
	}
	if otherTick(*sync) {
		evidence = append(evidence, fmt.Sprintf("adjtimex: a tick is taken for %s, %+.0f parts in a million", time.Duration(sync.TickNS), float64(sync.TickNS-usualTickNS)/usualTickNS*1e6))
	}
	if math.Abs(sync.FrequencyPPM) >= mostFrequencyPPM {
		evidence = append(evidence, fmt.Sprintf("adjtimex: the frequency is corrected by %+.0f parts in a million, the most that the kernel takes", sync.FrequencyPPM))
	}
	if evidence == nil {
		return nil
	}
	finding := &result.Finding{
		Title:    "the wall clock is being slewed",
		Evidence: evidence,
		Cause:    "A time service moves the wall clock bit by bit: CLOCK_REALTIME and CLOCK_MONOTONIC run a little faster or slower until it is right. CLOCK_MONOTONIC_RAW does not.",
		Links:    []string{adjtimexManual},
	}
	if !sync.Synchronised && (otherTick(*sync) || sync.OffsetNS == 0) {
		finding.Cause = "A program set this rate, and the kernel knows of no time service that will set it back: CLOCK_REALTIME and CLOCK_MONOTONIC run faster or slower than they should until one does. CLOCK_MONOTONIC_RAW does not."
		finding.Remedies = []result.Remedy{{
			Advice:   "Start a time service, or set the usual rate back (adjtimex is a package of that name)",
			Commands: []string{"adjtimex --print", "sudo adjtimex --tick 10000 --frequency 0"},
			Risk:     "A rate that makes up for a clock source of a wrong rate is right: see whether the clock is off before and after.",
		}}
	}
	return finding
}

// stepped finds a wall clock that jumped while the run measured.
func stepped(d *result.Document) *result.Finding {
	if d.Conditions == nil || d.Conditions.WallStepNS == 0 {
		return nil
	}
	return &result.Finding{
		Title:    "the wall clock was stepped",
		Evidence: []string{fmt.Sprintf("while this ran the wall clock jumped by %s against the monotonic one", time.Duration(d.Conditions.WallStepNS))},
		Cause:    "Somebody set it, or a time service or the hypervisor corrected it in one step.",
		Remedies: []result.Remedy{{
			Advice: "Measure spans with CLOCK_MONOTONIC, which is not stepped; have the time service slew (chrony: makestep only at its start)",
		}},
		Links: []string{adjtimexManual},
	}
}
