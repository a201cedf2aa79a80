package runtimes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// compared returns what changed in the costs of calls. The verdicts are the same as on clocks.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	wording := compare.Wording{Title: title, Subject: "Call", Figure: "Latency", Unit: "ns/call"}
	called := func(r MeasuredRuntime) bool { return len(r.Calls) > 0 }
	if r := cmp.Or(Of(new), Of(old)); r != nil && len(r.sleeps()) > 0 && !slices.ContainsFunc(r.Runtimes, called) {
		wording = wake.Wording
	}
	return compare.Compare(old, new, Of, subjects, different, s, wording)
}

// subjects returns the calls of a document. A call has few samples, each from many slices: the fastest slice often has
// the CPU in turbo mode, so the calls are compared by their samples. Calls vary more from run to run than clocks in
// user mode, so UserMode stays false.
func subjects(d *result.Document) []compare.Subject {
	var all []compare.Subject
	if s := Of(d); s != nil {
		contended := compare.ContendedFrom(d.Warnings, d.Host.CPU.Usable)
		for _, r := range s.Runtimes {
			all = append(all, wake.Subjects(d, r.Sleeps, "Sleep/call")...)
			for _, m := range r.Calls {
				of := compare.Subject{Name: m.ID, Benchmark: "Runtime/call", Reason: m.Reason, ContendedFrom: contended}
				if m.Latency != nil {
					of.Latency, of.Throughput = m.Latency, m.Throughput
				}
				all = append(all, of)
			}
		}
	}
	return all
}

// Samples returns the samples of the calls and the sleeps, for benchstat.
func (*Runtimes) Samples(d *result.Document) []section.Sample { return compare.SamplesOf(subjects(d)) }

// different returns the other differences: the environments, the versions, and the clocks that the calls read.
func different(old, new *Runtimes) []section.Difference {
	all := []section.Difference{{
		What: "environment of the runtimes", Old: strings.Join(old.Environment, " "),
		New: strings.Join(new.Environment, " "),
	}}
	name := func(r MeasuredRuntime) string { return r.Name }
	section.Match(old.Runtimes, new.Runtimes, name, func(o, n MeasuredRuntime) {
		all = append(all,
			section.Difference{What: o.Name + " version", Old: o.Version, New: n.Version},
			section.Difference{What: o.Name + " C library", Old: o.Libc, New: n.Libc})
		section.Match(o.Calls, n.Calls, func(m MeasuredCall) string { return m.ID }, func(o, n MeasuredCall) {
			if o.traced() && n.traced() {
				all = append(all, section.Difference{What: o.ID + " reads", Old: o.readsCell(), New: n.readsCell()},
					section.Difference{What: o.ID + " enters the kernel", Old: o.KernelEntry, New: n.KernelEntry})
			}
			if o.coarse() < 2 && n.coarse() < 2 && !alike(o.Resolution, n.Resolution) {
				before, after := compare.Tick(o.Resolution), compare.Tick(n.Resolution)
				all = append(all, section.Difference{What: o.ID + " resolution", Old: before, New: after})
			}
		})
		section.Match(wake.Rows(o.Sleeps), wake.Rows(n.Sleeps), wake.Row.Name, func(o, n wake.Row) {
			all = append(all, section.Difference{What: o.Name() + " system call", Old: o.SystemCall, New: n.SystemCall})
		})
		all = append(all, wake.EarlyDifferences(o.Sleeps, n.Sleeps)...)
	})
	return all
}

// alike reports whether two resolutions are equal within 10 %.
func alike(old, new *compare.Resolution) bool {
	const most = 1.1
	near := old.TickNS <= most*new.TickNS && new.TickNS <= most*old.TickNS
	return old.FinerThanRead == new.FinerThanRead && (old.FinerThanRead || near)
}
