package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

const (
	// maxFlat is the largest gain in throughput from one thread to all CPUs at which a clock counts as not scaling.
	maxFlat = 1.1
	// A timer that several CPUs wait for is idle less often, so its throughput grows a little: published figures of an
	// HPET are 1.41 times at 2 threads, 1.38 at 4. Therefore this share of the gain of other clocks counts as not
	// scaling too, up to a limit.
	flatShare, maxFlatShared = 0.4, 1.5
	// minReference is the gain that other clocks must have: otherwise the machine is at fault.
	minReference = 1.5
	// minReferences is the min number of other clocks that scale: a single figure may be disturbed.
	minReferences = 2
)

// disturbing are the kinds of Warnings that make throughput useless for a judgement
var disturbing = []string{"starved", "quota", "steal", "load", "preempted"}

// disturbance returns the disturbance that made throughput useless for a judgement; nil without one.
func disturbance(s *situation.Situation) *result.Warning {
	return situation.First(warnings(s), func(w result.Warning) bool { return slices.Contains(disturbing, w.Kind) })
}

// notScaling finds an everyday clock that all CPUs together read no faster than a single CPU. On a busy machine it
// finds nothing, because the threads wait for CPUs there.
func notScaling(s *situation.Situation) *result.Finding {
	if disturbance(s) != nil {
		return nil
	}
	var stuck []string
	for _, c := range s.Clocks {
		own, threads, ok := gain(c)
		if !ok || !slices.Contains(situation.Everyday, c.ID) {
			continue
		}
		other, id := reference(s, c.ID, threads)
		if other >= minReference && own <= max(maxFlat, min(flatShare*other, maxFlatShared)) {
			stuck = append(stuck, fmt.Sprintf("%s: %d threads together have %.2f times the throughput of one "+
				"thread; %s: %.2f times", c.ID, threads, own, id, other))
		}
	}
	return foundBy(s, stuck, "not-scaling")
}

// reference returns the gain of the other clocks with this number of threads, and the id of the clock with that gain:
// the second best, so that one disturbed figure cannot decide. It returns 0 if there are too few other clocks.
func reference(s *situation.Situation, except string, threads int) (times float64, id string) {
	type one struct {
		times float64
		id    string
	}
	var others []one
	for _, c := range s.Clocks {
		if theirs, at, ok := gain(c); ok && at == threads && c.ID != except {
			others = append(others, one{theirs, c.ID})
		}
	}
	if len(others) < minReferences {
		return 0, ""
	}
	slices.SortStableFunc(others, func(a, b one) int { return cmp.Compare(b.times, a.times) })
	return others[minReferences-1].times, others[minReferences-1].id
}

// gain returns the throughput with the most threads that had a CPU each, divided by the throughput of one thread. It
// uses the best pass of both, so that a busy moment does not look like a shared timer.
func gain(c compare.Clock) (times float64, threads int, ok bool) {
	var one, most compare.Throughput
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

func bestPass(t compare.Throughput) float64 {
	best := t.ReadsPerSecond
	for _, sample := range t.SamplesReadsPerSecond {
		best = max(best, sample)
	}
	return best
}
