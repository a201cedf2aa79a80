package situation

import (
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/runtimes"
)

// Of returns the situation of a document. The kernel log is read when it is first needed.
func Of(d *result.Document) *Situation {
	s := &Situation{Document: d, FloorNS: compare.Of(d).FloorNS, Clocks: clocksOf(d)}
	if source := d.Host.ClockSource; source != nil {
		s.ClockSource, s.ClockSources = source.Current, source.Available
	}
	s.log = sync.OnceValues(s.readLog)
	return s
}

func clocksOf(d *result.Document) []compare.Clock {
	clocks := slices.Clone(compare.Of(d).Clocks)
	add := func(id, entry string, latency *compare.Latency) {
		i := slices.IndexFunc(clocks, func(c compare.Clock) bool { return c.ID == id })
		if i < 0 {
			path := id[strings.LastIndexByte(id, '@')+1:]
			i, clocks = len(clocks), append(clocks, compare.Clock{ID: id, Path: path, Available: true})
		}
		if c := &clocks[i]; c.Latency == nil && c.KernelEntry == "" {
			c.Latency, c.KernelEntry = latency, entry
		}
	}
	if s := runtimes.Of(d); s != nil {
		for _, c := range s.Clocks {
			add(c.ID, c.KernelEntry, c.Latency)
		}
	}
	if p := profile.Of(d); p != nil && p.ReadNS > 0 {
		add(profile.FineID, p.KernelEntry, &compare.Latency{MedianNS: p.ReadNS})
	}
	return clocks
}

func (s *Situation) readLog() ([]kernellog.Event, []kernellog.Cause) {
	if s.Host.KernelLog == nil || len(s.Host.KernelLog.Lines) == 0 {
		return nil, nil
	}
	events := kernellog.Parse(s.Host.KernelLog.Lines)
	if !s.OnLinux() {
		return events, nil
	}
	m := kernellog.Machine{
		Arch: s.Host.Arch, Kernel: s.Host.Kernel, CPU: s.Host.CPU.Model, TSCHz: s.Host.CPU.KernelTSCHz, Guest: s.IsGuest(),
		Parameters: s.Host.BootParameters, ClockSource: s.ClockSource,
	}
	if v := s.Host.Virtualization; v != nil {
		m.Hypervisor = v.System
	}
	return events, kernellog.Explain(events, m)
}
