package runtimes

import (
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
)

// Changes are what changed in the costs of calls. Its keys are those of the changes of clocks.
type Changes struct {
	// OnlyIn is old or new if the other document lacks the section; empty if both have it.
	OnlyIn string `json:"only_in,omitempty"`
	*compare.Changes
}

// compared returns what changed in the costs of calls. The verdicts are those on clocks.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	before, after := Of(old), Of(new)
	if before == nil && after == nil {
		return section.Comparison{}, false
	}
	c, _ := compare.Kind.Compare(callsAsClocks(old), callsAsClocks(new), s)
	covered := section.Covered(before != nil, after != nil)
	c.Value = &Changes{covered.OnlyIn, c.Value.(*compare.Changes)}
	if covered.OnlyIn != "" {
		c.Block = table.Block{Title: title, Verdict: covered.Absent()}
		return c, true
	}
	c.Block.Title = title
	for i := range c.Block.Grids {
		inCalls(&c.Block.Grids[i])
	}
	c.Settings = different(before, after)
	return c, true
}

// inCalls words a table of clocks for calls.
func inCalls(g *table.Grid) {
	g.Title = title + ": " + strings.ReplaceAll(g.Title, "ns/read", "ns/call")
	g.Header[0] = "Call"
	if g.OnPage != nil {
		inCalls(g.OnPage)
	}
}

// callsAsClocks returns a document with the calls in the place of clocks. A call has few samples, and each of many
// slices: the quickest of these often has the CPU in turbo mode, so the calls are compared by their samples. They
// vary from run to run more than clocks in user mode, so they do not say that they stay there.
func callsAsClocks(d *result.Document) *result.Document {
	shell := *d
	shell.Sections = nil
	costs := compare.Into(&shell)
	if s := Of(d); s != nil {
		for _, r := range s.Runtimes {
			for _, m := range r.Calls {
				if m.Latency != nil {
					latency := *m.Latency
					latency.QuietSamplesNS, m.Latency = nil, &latency
				}
				costs.Clocks = append(costs.Clocks, compare.Clock{
					ID: m.ID, Call: m.Call, Available: m.Latency != nil, Reason: m.Reason, Latency: m.Latency, Throughput: m.Throughput,
				})
			}
		}
	}
	return &shell
}

// different returns what else differs: the environments, the versions, and what the calls read.
func different(old, new *Runtimes) []section.Setting {
	all := []section.Setting{{What: "environment of the runtimes", Old: strings.Join(old.Environment, " "), New: strings.Join(new.Environment, " ")}}
	section.Match(old.Runtimes, new.Runtimes, func(r MeasuredRuntime) string { return r.Name }, func(o, n MeasuredRuntime) {
		all = append(all,
			section.Setting{What: o.Name + " version", Old: o.Version, New: n.Version},
			section.Setting{What: o.Name + " C library", Old: o.Libc, New: n.Libc})
		section.Match(o.Calls, n.Calls, func(m MeasuredCall) string { return m.ID }, func(o, n MeasuredCall) {
			if o.traced() && n.traced() {
				all = append(all, section.Setting{What: o.ID + " reads", Old: o.readsCell(), New: n.readsCell()},
					section.Setting{What: o.ID + " enters the kernel", Old: o.KernelEntry, New: n.KernelEntry})
			}
			if o.coarse() < 2 && n.coarse() < 2 && !alike(o.Resolution, n.Resolution) {
				all = append(all, section.Setting{What: o.ID + " resolution", Old: compare.Tick(o.Resolution), New: compare.Tick(n.Resolution)})
			}
		})
	})
	return section.Differing(all...)
}

// alike reports whether two resolutions are the same, but for what is measured of them.
func alike(old, new *compare.Resolution) bool {
	const most = 1.1
	return old.FinerThanRead == new.FinerThanRead && (old.FinerThanRead || old.TickNS <= most*new.TickNS && new.TickNS <= most*old.TickNS)
}
