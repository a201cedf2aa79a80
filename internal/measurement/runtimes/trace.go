package runtimes

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/system/program"
)

// byPtrace is how reads and kernel entries were determined.
const byPtrace = "ptrace"

// longestTrace is the time limit of a traced program.
const longestTrace = 90 * time.Second

// trace measures which clocks the calls of a runtime read, whether they enter the kernel, and their cost without the
// vDSO. An unknown figure has a reason.
func (r *runner) trace(s *subject) {
	if err := ptrace.Usable(); err != nil {
		s.unproven(err.Error())
		return
	}
	hidden, err := r.marked(s, r.traced, ptrace.Hidden)
	if r.ctx.Err() != nil {
		s.unproven("interrupted")
		return
	}
	if err != nil {
		s.unproven(err.Error())
		return
	}
	all := ptrace.Summarize(hidden)
	for i := range s.entry.Calls {
		s.entry.Calls[i].attribute(strconv.Itoa(i), all)
	}
	if visible, err := r.marked(s, enteringCalls, ptrace.Visible); err != nil {
		s.note(r.ctx, "kernel entry could not be determined", err)
	} else {
		for i := range s.entry.Calls {
			s.entry.Calls[i].setKernelEntry(strconv.Itoa(i), visible)
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

// marked runs the benchmark of a runtime with a mark before each of a number of calls, and returns the clocks that each
// call read. The mark of a call is its index.
func (r *runner) marked(s *subject, times int, task ptrace.Task) (spans []ptrace.Span, err error) {
	defer r.advance(r.settings.traceTime(s.Runtime, times))
	trace := func(ctx context.Context, cmd *exec.Cmd) (err error) {
		spans, err = ptrace.Trace(ctx, task, cmd, program.Limits{Time: longestTrace, OutputBytes: maxOutput})
		return err
	}
	err = r.converse(s, trace, func(d *dialogue) error {
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
	return spans, err
}

// attribute sets the clocks that a call with this mark reads: the reads of most of the traced calls. The mark may have
// no summary.
func (m *MeasuredCall) attribute(mark string, all []ptrace.Call) {
	i := slices.IndexFunc(all, func(c ptrace.Call) bool { return c.Mark == mark })
	if i < 0 {
		m.ReadsBy = "the call was not traced"
		return
	}
	m.Reads, m.ReadsBy = all[i].Reads, byPtrace
	m.TracedCalls, m.AttributedCalls = all[i].Spans, all[i].Attributed
}

// setKernelEntry sets how often a call with this mark enters the kernel to read a clock. If all calls read the same
// clocks, only those reads count: the others are the runtime's own.
func (m *MeasuredCall) setKernelEntry(mark string, spans []ptrace.Span) {
	traced, entered := 0, 0
	for _, span := range spans {
		if span.Mark != mark {
			continue
		}
		traced++
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
	expected := r.settings.costTime(s.Runtime)
	defer r.advance(expected)
	run := func(ctx context.Context, cmd *exec.Cmd) error {
		_, err := ptrace.Trace(ctx, ptrace.Fast, cmd, limits(expected))
		return err
	}
	err := r.converse(s, run, func(d *dialogue) (err error) {
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
