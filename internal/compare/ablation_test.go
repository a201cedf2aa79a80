package compare

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/stats"
	"gonum.org/v1/gonum/stat/distuv"
)

// An ablation takes one rule away: from the rules themselves, from the settings, or by taking
// what it needs from the documents.
type ablation struct {
	without  string
	rules    func(*rules)
	settings func(*section.Settings)
	document func(result.Document) result.Document
}

var ablations = []ablation{
	{without: "the U test", rules: func(r *rules) {
		r.tests, r.combine = nil, func(...float64) float64 { return 0 }
	}},
	{without: "the U test of the quickest slices", rules: func(r *rules) { r.tests = r.tests[1:] }},
	{without: "the U test of the lower half", rules: func(r *rules) { r.tests = r.tests[:1] }},
	{without: "Bonferroni", rules: func(r *rules) { r.combine = func(ps ...float64) float64 { return slices.Min(ps) } }},
	{without: "Holm", rules: func(r *rules) { r.adjust = func(ps []float64) []float64 { return ps } }},
	{without: "the min change", settings: func(s *section.Settings) { s.MinChange = 0 }},
	{without: "the quickest slices", document: func(d result.Document) result.Document {
		ownCosts(&d)
		for i, c := range Of(&d).Clocks {
			if c.Latency != nil {
				latency := *c.Latency
				latency.QuietSamplesNS = nil
				Into(&d).Clocks[i].Latency = &latency
			}
		}
		return d
	}},
	{without: "the quiet cost (median instead)", rules: func(r *rules) { r.quietCost = stats.Median }},
	{without: "the second-smallest (min instead)", rules: func(r *rules) {
		r.quietCost = ranked(1)
		r.latency = []uncertainty{slowerAboveEndpoint(1), fasterUnrepeated(1)}
	}},
	{without: "the bound of the endpoint", rules: func(r *rules) { r.latency = r.latency[1:] }},
	{without: "the block minima", rules: func(r *rules) { r.latency = r.latency[:1] }},
	{without: "the bound of the endpoint and the block minima", rules: func(r *rules) { r.latency = nil }},
	{without: "min to median of throughput", rules: func(r *rules) { r.throughput = nil }},
	{without: "min to median of throughput (latency rules instead)", rules: func(r *rules) { r.throughput = r.latency }},
	{without: "the max factor of contention", rules: func(r *rules) { r.contentionFactor = math.Inf(1) }},
	{without: "the min size of unsteady", rules: func(r *rules) { r.unsteadyFrom = 1 }},
	{without: "contention", document: func(d result.Document) result.Document {
		d.Warnings = nil
		return d
	}},
}

// BenchmarkAblation prints what the verdicts are worth with all rules, and without each of them,
// on the pairs of documents that test/pairs left in the folder TIMEBENCH_PAIRS, and on those
// with planted disturbances.
func BenchmarkAblation(b *testing.B) {
	folder := os.Getenv("TIMEBENCH_PAIRS")
	if folder == "" {
		b.Skip("TIMEBENCH_PAIRS names no folder; see test/pairs")
	}
	all := sets(recorded(b, folder))
	var report strings.Builder
	for b.Loop() {
		report.Reset()
		for _, c := range all {
			fmt.Fprintf(&report, "\n%s: %d alike, %d slower\n", c.name, len(c.alike), len(c.slower))
			every := ablation{}.worth(c)
			fmt.Fprintf(&report, "  %-60s %s\n", "all rules", every)
			var equal []string
			for _, a := range ablations {
				if worth := a.worth(c); worth != every {
					fmt.Fprintf(&report, "  %-60s %s\n", "without "+a.without, worth)
				} else {
					equal = append(equal, a.without)
				}
			}
			fmt.Fprintf(&report, "  the same without: %s\n", strings.Join(equal, "; "))
		}
	}
	b.ReportMetric(0, "ns/op")
	fmt.Print(report.String()) // b.Log truncates it
}

// worth returns how many of the pairs differ, are unsteady in their first figure, and are found
// slower in their first figure and in the others.
func (a ablation) worth(c cases) string {
	differ, unsteady, found, threads, of := 0, 0, 0, 0, 0
	for _, p := range c.alike {
		changes := a.changes(p, c.settings)
		differ += one(slices.ContainsFunc(changes, func(change Change) bool {
			return change.Verdict == Slower || change.Verdict == Faster || c.byP && change.P <= c.settings.Alpha
		}))
		unsteady += one(changes[0].Verdict == Unsteady)
	}
	for _, p := range c.slower {
		changes := a.changes(p, c.settings)
		found += one(changes[0].Verdict == Slower)
		for _, change := range changes[1:] {
			threads += one(change.Verdict == Slower)
			of++
		}
	}
	return fmt.Sprintf("differ %-26s unsteady %-4d found %-26s by threads %s",
		share95(differ, len(c.alike)), unsteady, share95(found, len(c.slower)), share95(threads, of))
}

func (a ablation) changes(runs [2]*result.Document, s section.Settings) []Change {
	r := allRules
	if a.rules != nil {
		a.rules(&r)
	}
	if a.settings != nil {
		a.settings(&s)
	}
	old, new := *runs[0], *runs[1]
	if a.document != nil {
		old, new = a.document(old), a.document(new)
	}
	return r.compare(&old, &new, s).Changes
}

func one(counts bool) int {
	if counts {
		return 1
	}
	return 0
}

// share95 words a share with its 95% CI by Clopper and Pearson (Biometrika 26, 1934, 404-413).
func share95(n, of int) string {
	if of == 0 {
		return "-"
	}
	low, high := 0.0, 1.0
	if n > 0 {
		low = distuv.Beta{Alpha: float64(n), Beta: float64(of - n + 1)}.Quantile(0.025)
	}
	if n < of {
		high = distuv.Beta{Alpha: float64(n + 1), Beta: float64(of - n)}.Quantile(0.975)
	}
	return fmt.Sprintf("%d/%d %.0f %% (%.0f to %.0f)", n, of, 100*float64(n)/float64(of), 100*low, 100*high)
}
