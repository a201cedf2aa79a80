package wake

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/words"
)

// A lateness has the wake-ups of a way on a thread, in ns.
type lateness struct {
	all, early int
	min, max   int64
	maxAt      int64
	kept       []float64 // in order: a random one of each `of`
	of         int
}

// mostKept is the max number of wake-ups that are kept, which bounds the memory.
const mostKept = 20_000

func (l *lateness) add(late, at int64, chance *rand.Rand) {
	if l.all == 0 || late > l.max {
		l.max, l.maxAt = late, at
	}
	if l.all == 0 || late < l.min {
		l.min = late
	}
	if late < -int64(observe.StopwatchTick()) {
		l.early++
	}
	if len(l.kept) == mostKept && l.all%l.of == 0 {
		for i := range mostKept / 2 {
			l.kept[i] = l.kept[2*i+chance.IntN(2)]
		}
		l.kept, l.of = l.kept[:mostKept/2], 2*l.of
	}
	l.of = max(l.of, 1)
	if nth := l.all % l.of; nth == 0 {
		l.kept = append(l.kept, float64(late))
	} else if chance.IntN(nth+1) == 0 {
		l.kept[len(l.kept)-1] = float64(late)
	}
	l.all++
}

// results returns the figures of all ways, of all threads together.
func (r *runner) results() []SleepWay {
	all := []SleepWay{}
	for k, w := range r.ways {
		one := SleepWay{ID: w.ID, Call: w.Call}
		err := r.threads[0].ways[k].err
		for i := range r.Spans {
			if s, slept := r.span(k, i); slept && err == nil {
				one.Spans = append(one.Spans, s)
			}
		}
		one.Available = len(one.Spans) > 0
		switch {
		case one.Available:
		case errors.Is(err, syscall.ENOSYS):
			one.Reason = "this kernel or CPU has no such system call"
		case err != nil:
			one.Reason = err.Error()
		default:
			one.Reason = observe.WhyEnded(r.ctx, " before it slept")
		}
		all = append(all, one)
	}
	return all
}

// span returns the figures of a way for a span, and whether it slept at all.
func (r *runner) span(way, span int) (s SleepSpan, slept bool) {
	for _, t := range r.threads {
		l := &t.ways[way].late[asIs][span]
		if l.all == 0 {
			continue
		}
		if s.Samples == 0 || float64(l.min) < s.MinLateNS {
			s.MinLateNS = float64(l.min)
		}
		if s.Samples == 0 || float64(l.max) > s.MaxLateNS {
			s.MaxLateNS, s.MaxAtNS = float64(l.max), l.maxAt
		}
		s.Samples, s.Early = s.Samples+l.all, s.Early+l.early
		if median := stats.Median(l.kept); len(r.threads) > 1 && (s.WorstCPU == nil || median > s.WorstCPUMedianNS) {
			s.WorstCPU, s.WorstCPUMedianNS = &t.cpu, median
		}
	}
	if s.Samples == 0 {
		return s, false
	}
	all := r.kept(way, asIs, span)
	of := stats.Summarize(all)
	s.SpanNS, s.MedianLateNS, s.LowNS, s.HighNS = int64(r.Spans[span]), of.Median, of.Low, of.High
	s.AddPercentiles(all)
	s.PartMediansNS, s.Layers = parts(all), r.layers(way, span)
	return s, true
}

// mostParts is the max number of parts of a measurement whose medians a document has, and partOf the min number of sleeps
// in each.
const mostParts, partOf = 50, 4

// parts returns the medians of the parts of a measurement, each of as many sleeps.
func parts(late []float64) []float64 {
	all := make([]float64, max(1, min(mostParts, len(late)/partOf)))
	for i := range all {
		all[i] = stats.Median(late[i*len(late)/len(all) : (i+1)*len(late)/len(all)])
	}
	return all
}

// kept returns the lateness of a way of all threads together, in order.
func (r *runner) kept(way int, step step, span int) (all []float64) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, t := range r.threads {
			if kept := t.ways[way].late[step][span].kept; i < len(kept) {
				all, more = append(all, kept[i]), true
			}
		}
	}
	return all
}

// checkIdle sets noIdle if the CPUs entered idle states in fewer than half of the sleeps: on a busy machine a wake-up
// that preempts SCHED_IDLE is faster too.
func (r *runner) checkIdle(states []IdleState) {
	sleeps, entered := int64(0), int64(0)
	for _, state := range states {
		entered += state.Entered
	}
	for _, t := range r.threads {
		for _, o := range t.ways {
			for i := range r.Spans {
				sleeps += int64(o.late[asIs][i].all + o.late[tight][i].all)
			}
		}
	}
	if r.noIdle == "" && len(states) > 0 && entered < sleeps/2 {
		r.noIdle = fmt.Sprintf("the CPUs were busy and entered an idle state %s× in %s",
			words.Thousands(entered), words.Plural(int(sleeps), "sleep"))
	}
}

// layers returns the parts of the median, from the way inwards: by how much it falls without a cause. A difference that
// is not larger than the intervals of both medians together is part of the rest. It returns nil if no cause could be
// taken away, or if such a difference may be the main part: more than half of the median.
func (r *runner) layers(way, span int) (all []SleepLayer) {
	left := stats.Summarize(r.kept(way, asIs, span))
	median, rest, tried, clear := left.Median, left.Median, false, true
	without := func(name string, samples []float64) {
		if len(samples) == 0 {
			return
		}
		s := stats.Summarize(samples)
		layer, unsure := left.Median-s.Median, left.High-left.Low+s.High-s.Low
		known := s.Confidence > 0 && left.Confidence > 0
		if known && layer > 0 && layer >= unsure {
			all, rest = append(all, SleepLayer{name, layer}), rest-layer
		} else if left.Median > median/2 && (!known || unsure > median/2) {
			clear = false
		}
		left, tried = s, true
	}
	for w := r.ways[way]; w.twin != ""; w = r.ways[way] {
		twin := slices.IndexFunc(r.ways, func(other Way) bool { return other.ID == w.twin })
		if twin < 0 {
			break
		}
		way = twin
		without(w.twinLayer, r.kept(way, asIs, span))
	}
	without(TimerSlack, r.kept(way, tight, span))
	if r.noIdle == "" {
		without(LeavingIdle, r.kept(way, awake, span))
	}
	if !tried || !clear || rest <= 0 {
		return nil
	}
	return append(all, SleepLayer{TheRest, rest})
}
