package runtimes

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/wake"
)

func (s *Runtimes) sleeps() (all []wake.SleepWay) {
	for _, r := range s.Runtimes {
		all = append(all, r.Sleeps...)
	}
	return all
}

const (
	// DefaultSleeps is the usual number of Sleeps.
	DefaultSleeps = 30
	// firstSleeps is the number of sleeps that load classes and libraries, and do not count.
	firstSleeps = 10
	// tracedSleeps is the number of traced sleeps of a span.
	tracedSleeps = 20
)

// A way is a way to sleep and a span.
type way struct {
	name string
	span time.Duration
}

// ways returns the ways to sleep of a runtime, with each span.
func (s Settings) ways(of Runtime) (all []way) {
	for _, name := range of.Sleeps {
		for _, span := range s.Spans {
			all = append(all, way{name, span})
		}
	}
	return all
}

// sleep returns the lateness in ns of each of some sleeps.
func (d *dialogue) sleep(w way, times int) ([]float64, error) {
	lateNS, err := d.ask("sleep", w.name, times, int(w.span))
	if err != nil {
		return nil, err
	}
	if len(lateNS) != times || !within(lateNS, -float64(w.span), maxSliceNS) {
		return nil, unexpected("sleep", fmt.Sprint(lateNS))
	}
	for _, ns := range lateNS {
		d.elapsedNS += float64(w.span) + ns
	}
	return lateNS, nil
}

// sleep measures all ways to sleep of a runtime in one start. The sleeps of a way and span follow each other, as in a
// loop of a program: beside other sleeps, they end later.
func (r *runner) sleep(s *subject) {
	lateNS := map[way][]float64{}
	err := r.converse(s, limits(r.settings.onceTime(s.Runtime)), func(d *dialogue) error {
		for _, w := range r.settings.ways(s.Runtime) {
			ns, err := d.sleep(w, firstSleeps+r.settings.Sleeps)
			if err == nil {
				lateNS[w] = ns[firstSleeps:]
			} else if !errors.Is(err, errMissing) {
				return err
			}
		}
		if s.missing = d.missing; len(s.missing) == len(s.Sleeps) {
			return errors.New(s.missing[s.Sleeps[0]])
		}
		return nil
	})
	if r.started(s, err) {
		for w, ns := range lateNS {
			s.lateNS[w] = append(s.lateNS[w], ns)
		}
	}
}

// addSleeps adds the results of all starts to the entry of the runtime.
func (s *subject) addSleeps(spans []time.Duration) {
	for _, name := range s.Sleeps {
		m := wake.SleepWay{ID: name + "@" + s.entry.Name, Call: name, Reason: s.missing[name]}
		for _, span := range spans {
			w := way{name, span}
			if starts := s.lateNS[w]; len(slices.Concat(starts...)) > 0 {
				of := wake.NewSpan(span, starts)
				median := stats.Summarize(of.PartMediansNS) // the sleeps of a start are alike
				of.MedianLateNS, of.LowNS, of.HighNS = median.Median, median.Low, median.High
				waits(&of, s.waits[w], s.untraced)
				m.Spans, m.Available, s.entry.Available = append(m.Spans, of), true, true
			}
		}
		s.entry.Sleeps = append(s.entry.Sleeps, m)
	}
}

// traceSleeps finds the system calls that wait, in one start of a runtime.
func (r *runner) traceSleeps(s *subject) {
	defer r.advance(startTime)
	if err := ptrace.Usable(); err != nil {
		s.untraced = err.Error()
		return
	}
	var traced []way
	spans, err := r.traced(s, ptrace.Waits, traceLimits, func(d *dialogue) error {
		for _, w := range r.settings.ways(s.Runtime) {
			if err := d.mark(emptyLoop, 1, 0); err != nil {
				return err
			}
			if _, err := d.sleep(w, tracedSleeps); err == nil {
				traced = append(traced, w)
			} else if !errors.Is(err, errMissing) {
				return err
			}
		}
		return d.mark(emptyLoop, 1, 0)
	})
	if r.ctx.Err() != nil {
		s.untraced = "interrupted"
	} else if err != nil {
		s.untraced = err.Error()
	}
	// The mark of a command ends with another mark, after which the sleeps follow.
	after := slices.DeleteFunc(spans, func(span ptrace.Span) bool { return span.Mark != "end" })
	for i, w := range traced {
		if i < len(after) {
			s.waits[w] = after[i].Waits
		}
	}
}

// noWait is why the system call is unknown if a runtime was traced.
const noWait = "no system call of its own was seen to wait"

// waits sets the system call that waits. A runtime waits in other threads too: candidates are calls that are at least
// half as many as the sleeps, and wait for half the span or more, but at most twice as long as a sleep takes. Of these
// it is the call that waits longest. why is why they were not traced.
func waits(s *wake.SleepSpan, all []ptrace.Wait, why string) {
	calls := map[ptrace.Wait][]float64{}
	for _, w := range all {
		if w.NS >= s.SpanNS/2 && float64(w.NS) <= 2*(float64(s.SpanNS)+s.MedianLateNS) {
			of := ptrace.Wait{Call: w.Call, Deadline: w.Deadline}
			calls[of] = append(calls[of], float64(w.NS))
		}
	}
	s.SystemCallBy = cmp.Or(why, noWait)
	for of, ns := range calls {
		if longest := int64(stats.Median(ns)); len(ns) >= tracedSleeps/2 && longest > s.SystemCallNS {
			s.SystemCall, s.SystemCallNS, s.Deadline, s.SystemCallBy = of.Call, longest, of.Deadline, byPtrace
		}
	}
}
