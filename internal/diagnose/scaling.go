package diagnose

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/result"
)

const (
	// flat is how many times the reads of one thread all CPUs may make together for a
	// clock to count as one that does not scale; or this share of what another clock
	// makes beside it, since several CPUs that wait for one timer waste less of its time
	// than one that is also on its way to it.
	flat, flatShare = 1.1, 0.4
	// scales is how many times as many that other clock must make, so that it is the
	// clock's fault and not the machine's.
	scales = 1.5
)

// notScaling finds an everyday clock of which all CPUs together read no more than one.
func notScaling(d *result.Document) *result.Finding {
	var stuck []string
	for _, c := range d.Clocks {
		own, threads, ok := gain(c)
		if !ok || !slices.Contains(everyday, c.ID) {
			continue
		}
		best, of := 0.0, ""
		for _, other := range d.Clocks {
			if theirs, at, ok := gain(other); ok && at == threads && theirs > best {
				best, of = theirs, other.ID
			}
		}
		if best >= scales && own <= max(flat, flatShare*best) {
			stuck = append(stuck, fmt.Sprintf("%s: %d threads together make %.2f times the reads of one; of %s they make %.2f times as many", c.ID, threads, own, of, best))
		}
	}
	if len(stuck) == 0 {
		return nil
	}
	finding := &result.Finding{
		Kind: "not-scaling", Severity: result.Warn,
		Title:    "a clock does not scale: all CPUs together read it no more often than one",
		Evidence: stuck,
		Cause:    "The CPUs wait for one another: a timer that they share (hpet, acpi_pm), a lock, or an emulator that has one counter for all.",
		Remedies: []result.Remedy{{
			Advice:   "Use a clock source that each CPU has for itself (tsc on x86), and ask the time less often on hot paths",
			Commands: []string{"timebench compare --threads 1.." + strconv.Itoa(max(2, d.Host.CPU.Usable))},
		}},
		Links: []string{vdsoManual},
	}
	return finding
}

// gain is how many times the reads of one thread the most threads made that had a CPU
// each: the best of their passes, so that a busy moment is not taken for a shared timer.
func gain(c result.Clock) (times float64, threads int, ok bool) {
	var one, most result.Throughput
	for _, t := range c.Throughput {
		if t.Oversubscribed || t.ReadsPerSecond <= 0 {
			continue
		}
		if t.Threads == 1 {
			one = t
		}
		if t.Threads > most.Threads {
			most = t
		}
	}
	if one.Threads == 0 || most.Threads < 2 {
		return 0, 0, false
	}
	best := most.ReadsPerSecond
	for _, sample := range most.SamplesReadsPerSecond {
		best = max(best, sample)
	}
	return best / one.ReadsPerSecond, most.Threads, true
}

// backwards finds clocks that must never go back and did.
func backwards(d *result.Document) *result.Finding {
	finding := &result.Finding{
		Kind: "backwards", Severity: result.Error,
		Title: "a monotonic clock went backwards",
		Cause: "The counters of the CPUs disagree, or the hypervisor changed them while the clock was read.",
		Remedies: []result.Remedy{{
			Advice: "Do not trust this machine's time; use another clock source (hpet where it is offered), and look into the kernel's log",
		}},
		Links: []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	}
	for _, c := range d.Clocks {
		if r := c.Resolution; r != nil && c.Kind == "monotonic" && r.Backwards > 0 {
			finding.Evidence = append(finding.Evidence, fmt.Sprintf("%s went back %s, by up to %s", c.ID, counted(r.Backwards, "time"), nanoseconds(r.WorstBackwardsNS)))
		}
	}
	if len(finding.Evidence) == 0 {
		return nil
	}
	return finding
}
