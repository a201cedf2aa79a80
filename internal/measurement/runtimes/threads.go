package runtimes

import (
	"slices"
	"time"

	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// lookEvery is how often a thread looks at the stopwatch.
const lookEvery = 50 * time.Microsecond

// passes is how often the throughput is measured with each number of threads: diff needs this number of samples.
const passes = 10

// A pass is one measurement of throughput: the calls of each thread, and the time of all threads together. It begins
// when the threads are released, and ends with the last thread.
type pass struct {
	calls    []int64
	passedNS float64
}

// throughput measures all calls of a runtime with each number of threads.
func (r *runner) throughput(s *subject) {
	if !s.Threads {
		return
	}
	for _, threads := range r.settings.Threads {
		all := map[string][]pass{}
		for range passes {
			if r.ctx.Err() != nil {
				return
			}
			if err := r.pass(s, threads, all); err != nil {
				s.note(r.ctx, "with "+words.Plural(threads, "thread"), err)
				return
			}
		}
		for i := range s.entry.Calls {
			m := &s.entry.Calls[i]
			if measured := all[m.Call]; len(measured) > 0 {
				m.Throughput = append(m.Throughput, throughputOf(threads, threads > r.settings.CPUs, measured))
			}
		}
	}
}

// pass adds one pass of each call.
func (r *runner) pass(s *subject, threads int, all map[string][]pass) error {
	expected := r.settings.passTime(s.Runtime, threads)
	defer r.advance(expected)
	return r.converse(s, limits(expected), func(d *dialogue) error {
		names, err := d.known(s.callNames())
		if err != nil {
			return err
		}
		if err := s.warm(d, names); err != nil {
			return err
		}
		for _, name := range names {
			n, err := d.calibrated(name, lookEvery)
			if err != nil {
				return err
			}
			p, err := d.threads(name, n, threads, r.settings.threadSpan(threads))
			if err != nil {
				return err
			}
			if slices.Max(p.calls) > 0 { // otherwise no thread had a CPU before the span ended
				all[name] = append(all[name], p)
			}
		}
		return nil
	})
}

// threadSpan returns the time in which a number of threads call in each pass. If they share CPUs, the scheduler gives
// each of them several turns, of a few milliseconds.
func (s Settings) threadSpan(threads int) time.Duration {
	const turns = 20 * time.Millisecond
	const shortest = 5 * time.Millisecond // beside other programs a thread waits that long for a CPU
	span := max(shortest, s.Time/passes)
	if s.CPUs > 0 && threads > s.CPUs {
		span = max(span, turns*time.Duration((threads+s.CPUs-1)/s.CPUs))
	}
	return span
}

func throughputOf(threads int, oversubscribed bool, passes []pass) compare.Throughput {
	var perSecond, fairness []float64
	for _, p := range passes {
		sum := int64(0)
		for _, calls := range p.calls {
			sum += calls
		}
		perSecond = append(perSecond, float64(sum)*1e9/p.passedNS)
		fairness = append(fairness, float64(slices.Min(p.calls))/float64(slices.Max(p.calls)))
	}
	rate := stats.Median(perSecond)
	return compare.Throughput{
		Threads: threads, Oversubscribed: oversubscribed, ReadsPerSecond: rate, CountedReadsPerSecond: rate,
		NSPerRead: float64(threads) * 1e9 / rate, Fairness: stats.Median(fairness), SamplesReadsPerSecond: perSecond,
	}
}
