package runtimes

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/system/program"
)

// byPtrace is how reads and kernel entries were determined.
const byPtrace = "ptrace"

var traceLimits = program.Limits{Time: 90 * time.Second, OutputBytes: maxOutput}

// trace measures which clocks the calls of a runtime read, and whether they enter the kernel. An unknown figure has a
// reason.
func (r *runner) trace(s *subject) {
	hidden, err := r.marked(s, tracedCalls, ptrace.Hidden)
	if r.ctx.Err() != nil {
		s.unproven("interrupted")
		return
	}
	if err != nil {
		s.unproven(err.Error())
		return
	}
	for i := range s.entry.Calls {
		s.entry.Calls[i].attribute(hidden[i])
	}
	if visible, err := r.marked(s, tracedCalls/2, ptrace.Visible); err != nil {
		s.note(r.ctx, "kernel entry could not be determined", err)
	} else {
		for i := range s.entry.Calls {
			s.entry.Calls[i].setKernelEntry(visible[i])
		}
	}
}

// unproven sets the reason why the reads of all calls are unknown.
func (s *subject) unproven(why string) {
	for i := range s.entry.Calls {
		m := &s.entry.Calls[i]
		m.ReadsBy, m.KernelEntry = why, result.Unknown
	}
}

// marked runs the benchmark of a runtime with a mark before each of a number of calls, and returns the reads of each
// call, by its index: the name of its mark.
func (r *runner) marked(s *subject, times int, task ptrace.Task) ([][]ptrace.Span, error) {
	defer r.advance(r.settings.traceTime(s.Runtime, times))
	spans, err := r.traced(s, task, traceLimits, func(d *dialogue) error {
		// A runtime may do more at its first mark and call, such as load a class.
		if err := d.mark(emptyLoop, 1, len(s.Calls)); err != nil {
			return err
		}
		for i, c := range s.Calls {
			if _, err := d.run(c.Name, 1, 1); errors.Is(err, errMissing) {
				continue
			} else if err != nil {
				return err
			}
			if err := d.mark(c.Name, times, i); err != nil {
				return err
			}
		}
		return nil
	})
	of := make([][]ptrace.Span, len(s.Calls))
	for _, span := range spans {
		if i, err := strconv.Atoi(span.Mark); err == nil && i >= 0 && i < len(of) {
			of[i] = append(of[i], span)
		}
	}
	return of, err
}

// attribute sets the clocks that a call reads: the reads of most of the traced calls.
func (m *MeasuredCall) attribute(spans []ptrace.Span) {
	if len(spans) == 0 {
		m.ReadsBy = "the call was not traced"
		return
	}
	of := ptrace.Summarize(spans)
	m.Reads, m.ReadsBy, m.TracedCalls, m.AttributedCalls = of.Reads, byPtrace, of.Spans, of.Attributed
}

// setKernelEntry sets how often a call enters the kernel to read a clock. If all calls read the same clocks, only those
// reads count: the others are the runtime's own.
func (m *MeasuredCall) setKernelEntry(spans []ptrace.Span) {
	traced, entered := len(spans), 0
	for _, span := range spans {
		own := func(clock string) bool {
			return m.AttributedCalls < m.TracedCalls || slices.Contains(m.Reads, clock)
		}
		if slices.ContainsFunc(span.Reads, own) {
			entered++
		}
	}
	switch {
	case traced == 0 || m.TracedCalls == 0:
		m.KernelEntry = result.Unknown
	case len(m.Reads) == 0 && m.Kind == cpuTime: // it reads a file of /proc instead of a clock
		m.KernelEntry = result.Always // no vDSO has CPU times
	case entered == 0:
		m.KernelEntry = result.Never
	case entered == traced:
		m.KernelEntry = result.Always
	default:
		m.KernelEntry = result.Sometimes
	}
}

// withoutVDSO measures the calls in one start while the vDSO is hidden from the runtime. Only its new processes and
// threads are traced, so it runs at full speed.
func (r *runner) withoutVDSO(s *subject) {
	if r.ctx.Err() != nil || ptrace.Usable() != nil {
		return
	}
	expected := r.settings.onceTime(s.Runtime)
	defer r.advance(expected)
	_, err := r.traced(s, ptrace.Fast, limits(expected), func(d *dialogue) (err error) {
		s.hidden, err = s.costs(d, s.callNames(), r.settings.slices(s.Runtime))
		return err
	})
	if err != nil {
		s.hidden = nil
		s.note(r.ctx, "the cost without the vDSO could not be measured", err)
	}
}

// servedByAny are the reads that the vDSO answers under every clock source: they return values that the kernel stored
// at its last tick (lib/vdso/gettimeofday.c).
var servedByAny = []string{"time", "CLOCK_REALTIME_COARSE", "CLOCK_MONOTONIC_COARSE"}

// fromVDSO reports whether a call reads a clock that the vDSO answers only under some clock sources. Of
// others, the cost without the vDSO says nothing about a slow clock source.
func (m *MeasuredCall) fromVDSO() bool {
	depends := func(clock string) bool { return !slices.Contains(servedByAny, clock) }
	return m.KernelEntry != result.Always && slices.ContainsFunc(m.Reads, depends)
}
