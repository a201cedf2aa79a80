package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/result"
)

const (
	// flat is how many times the reads of one thread all CPUs may make together for a
	// clock to count as one that does not scale.
	flat = 1.1
	// Several CPUs that wait for one timer waste less of its time than one that is also on
	// its way to it: published figures of an HPET are 1.41 times at 2 threads, 1.38 at 4.
	// So this share of what other clocks make beside it counts too, up to so many times.
	flatShare, mostFlat = 0.4, 1.5
	// scales is how many times as many the other clocks must make, so that it is the
	// clock's fault and not the machine's.
	scales = 1.5
	// witnesses is how many other clocks must scale: a single figure may be disturbed.
	witnesses = 2
)

// disturbing are the kinds of Noise after which throughput tells nothing of the clocks.
var disturbing = []string{"quota", "steal", "load", "preempted"}

// notScaling finds an everyday clock of which all CPUs together read no more than one.
// On a busy machine it says nothing: there the threads wait for CPUs.
func notScaling(d *result.Document) *result.Finding {
	if slices.ContainsFunc(Noise(d), func(w result.Warning) bool { return slices.Contains(disturbing, w.Kind) }) {
		return nil
	}
	var stuck []string
	for _, c := range d.Clocks {
		own, threads, ok := gain(c)
		if !ok || !slices.Contains(everyday, c.ID) {
			continue
		}
		least, of := witness(d, c.ID, threads)
		if least >= scales && own <= max(flat, min(flatShare*least, mostFlat)) {
			stuck = append(stuck, fmt.Sprintf("%s: %d threads together make %.2f times the reads of one; of %s they make %.2f times as many", c.ID, threads, own, of, least))
		}
	}
	if len(stuck) == 0 {
		return nil
	}
	finding := &result.Finding{
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

// witness returns how many times the reads of one thread the threads make of the other
// clocks, as the least of those witnesses that scale best shows, and which that is; 0
// where there are too few.
func witness(d *result.Document, but string, threads int) (times float64, id string) {
	type one struct {
		times float64
		id    string
	}
	var others []one
	for _, c := range d.Clocks {
		if theirs, at, ok := gain(c); ok && at == threads && c.ID != but {
			others = append(others, one{theirs, c.ID})
		}
	}
	if len(others) < witnesses {
		return 0, ""
	}
	slices.SortStableFunc(others, func(a, b one) int { return cmp.Compare(b.times, a.times) })
	return others[witnesses-1].times, others[witnesses-1].id
}

// gain is how many times the reads of one thread the most threads made that had a CPU
// each. Of both it takes the best pass, so that a busy moment is taken neither for a
// shared timer nor for more than the threads can do.
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
	return min(bestPass(most)/bestPass(one), float64(most.Threads)), most.Threads, true
}

func bestPass(t result.Throughput) float64 {
	best := t.ReadsPerSecond
	for _, sample := range t.SamplesReadsPerSecond {
		best = max(best, sample)
	}
	return best
}
