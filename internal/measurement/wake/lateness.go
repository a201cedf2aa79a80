package wake

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/words"
)

// A lateness has the wake-ups of a place, in ns.
type lateness struct {
	all, early int
	min, max   int64
	kept       [][]float64 // of each thread, in order: each with a chance of 1 in `of`
	of, number int         // the number of kept wake-ups
}

const (
	mostKept      = 20_000 // the max number of wake-ups that are kept of a place, unless it has many threads
	keptPerThread = 1000   // a thread keeps half of them or more: the CPU with the largest median is named
)

func (l *lateness) add(thread int, late int64) {
	if l.all == 0 {
		l.min, l.max, l.of = late, late, 1
	}
	l.min, l.max = min(l.min, late), max(l.max, late)
	if late < -int64(observe.StopwatchTick()) {
		l.early++
	}
	if l.all++; rand.IntN(l.of) == 0 {
		l.kept[thread], l.number = append(l.kept[thread], float64(late)), l.number+1
	}
	if l.number == max(mostKept, keptPerThread*len(l.kept)) {
		l.of, l.number = 2*l.of, 0
		for i := range l.kept {
			l.kept[i] = slices.DeleteFunc(l.kept[i], func(float64) bool { return rand.IntN(2) == 0 })
			l.number += len(l.kept[i])
		}
	}
}

// took adds sleeps of a thread; failed is the error of the last. A sleep that a signal ended is not the fault of the
// way.
func (t *sleepingThread) took(p place, turns []turn, failed error) {
	if failed != nil {
		last := len(turns) - 1
		if !errors.Is(failed, syscall.EINTR) {
			t.fails(turns[last].way, failed)
		}
		turns = turns[:last]
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, turn := range turns {
		p.way = turn.way
		if t.late[p] == nil {
			t.late[p] = &lateness{kept: make([][]float64, len(t.threads))}
		}
		t.late[p].add(t.number, turn.late)
	}
}

// fails records why a way is not available, unless err is nil.
func (r *runner) fails(way int, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failed[way] = cmp.Or(r.failed[way], err)
}

func (r *runner) results() []SleepWay {
	all := []SleepWay{}
	for k, w := range r.ways {
		one, err := SleepWay{ID: w.ID, Call: w.Call}, r.failed[k]
		for i := range r.Spans {
			if late := r.late[place{k, i, asIs}]; late != nil && err == nil {
				one.Spans = append(one.Spans, r.span(k, i, late))
			}
		}
		one.Available = len(one.Spans) > 0
		switch {
		case one.Available:
		case errors.Is(err, syscall.ENOSYS):
			one.Reason = "the kernel or CPU has no such system call, or a sandbox refuses it"
		case err != nil:
			one.Reason = err.Error()
		default:
			one.Reason = observe.WhyEnded(r.ctx, " before it slept")
		}
		all = append(all, one)
	}
	return all
}

const (
	mostParts = 50 // the max number of parts of a measurement; a document has the median of each
	partOf    = 4  // the min number of sleeps in a part, of the thread with most sleeps
)

// parts divides the sleeps of each thread, in order, into parts of about equal size. A part has the sleeps of all
// threads in that part of the measurement. Of too few sleeps there is a single part.
func parts(threads ...[]float64) (all [][]float64) {
	longest := slices.MaxFunc(threads, func(a, b []float64) int { return len(a) - len(b) })
	n := max(1, min(mostParts, len(longest)/partOf))
	for i := range n {
		var part []float64
		for _, late := range threads {
			part = append(part, late[i*len(late)/n:(i+1)*len(late)/n]...)
		}
		all = append(all, part)
	}
	return all
}

// span returns the figures of a way that slept for a span, this late.
func (r *runner) span(way, span int, late *lateness) SleepSpan {
	s := NewSpan(r.Spans[span], parts(late.kept...))
	s.Samples, s.Early, s.MinLateNS, s.MaxLateNS = late.all, late.early, float64(late.min), float64(late.max)
	s.Layers = r.layers(way, span)
	for i, kept := range late.kept {
		if len(kept) == 0 || len(r.threads) == 1 {
			continue // it had no CPU
		}
		if median := stats.Median(kept); s.WorstCPU == nil || median > s.WorstCPUMedianNS {
			s.WorstCPU, s.WorstCPUMedianNS = &r.threads[i].cpu, median
		}
	}
	return s
}

// checkIdle sets noIdle if the CPUs entered idle states in fewer than half of the sleeps: on a busy machine a wake-up
// that preempts SCHED_IDLE is faster too.
func (r *runner) checkIdle(states []IdleState) {
	sleeps, entered := 0, int64(0)
	for _, state := range states {
		entered += state.Entered
	}
	for p, l := range r.late {
		if p.step != awake {
			sleeps += l.all
		}
	}
	if r.noIdle == "" && len(states) > 0 && entered < int64(sleeps)/2 {
		r.noIdle = fmt.Sprintf("the CPUs were busy and entered an idle state %s× in %s",
			words.Thousands(entered), words.Plural(sleeps, "sleep"))
	}
}

// layers returns the parts of the median, from the way inwards: by how much it falls without a cause. A difference that
// is not larger than the intervals of both medians together is part of the rest. It returns nil if no cause could be
// taken away, or if such a difference may be the main part: more than half of the median.
func (r *runner) layers(way, span int) (all []SleepLayer) {
	const enough = 1.2 // the time to leave idle differs by some µs between two steps
	left := stats.Summarize(slices.Concat(r.late[place{way, span, asIs}].kept...))
	median, rest, tried, clear := left.Median, left.Median, false, true
	without := func(name string, step step) {
		late := r.late[place{way, span, step}]
		if late == nil {
			return
		}
		s := stats.Summarize(slices.Concat(late.kept...))
		layer, unsure := left.Median-s.Median, left.High-left.Low+s.High-s.Low
		known := s.Confidence > 0 && left.Confidence > 0
		switch {
		case name == TimerSlack && r.slackNS > 0 && layer > enough*r.slackNS+unsure:
			clear = false // it waited for the CPU
		case known && layer > 0 && layer >= unsure:
			if name == TimerSlack && r.slackNS > 0 {
				layer = min(layer, r.slackNS) // a shorter sleep leaves idle sooner, too
			}
			all, rest = append(all, SleepLayer{name, layer}), rest-layer
		case left.Median > median/2 && (!known || unsure > median/2):
			clear = false
		}
		left, tried = s, true
	}
	for w := r.ways[way]; w.twin != ""; w = r.ways[way] {
		if way = slices.IndexFunc(r.ways, func(other Way) bool { return other.ID == w.twin }); way < 0 {
			return nil // this system lacks the twin
		}
		without(w.twinLayer, asIs)
	}
	if !r.ways[way].slackless { // its sleeps are earlier after shorter ones of other ways
		without(TimerSlack, tight)
	}
	if r.noIdle == "" {
		without(LeavingIdle, awake)
	}
	if !tried || !clear || rest <= 0 {
		return nil
	}
	return append(all, SleepLayer{TheRest, rest})
}
