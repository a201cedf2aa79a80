package render

import (
	"slices"
	"strings"
	"testing"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/test/made"
)

func held(old, new *result.Document) *diff.Diff {
	return diff.Compare(diff.Read("before.json", old), diff.Read("after.json", new), section.Usual)
}

// worsened is a diff of a machine without faults and the same machine with faults.
func worsened() *diff.Diff { return held(trusted(), onceWorsened()) }

func onceWorsened() *result.Document {
	new := trusted()
	two, three := 2, 3
	clock := &verify.Of(new).Clocks[6]
	clock.Verdict, clock.Faults = verify.OneCPU,
		[]verify.ClockFault{{Kind: verify.FaultWarp, Count: 17, WorstNS: 243, CPU: &two, EarlierCPU: &three}}
	verify.Of(new).Clocks[0].ID = "CLOCK_TAI@vdso"
	new.Put(made.Counter(true))
	skew.Of(new).Clocks[0].Pairs[5].OffsetNS = -1250
	drift.Of(new).Clocks[0].Idle.Hz *= 1 + 3e-6
	for i := range wake.Of(new).Ways[0].Spans[0].PartMediansNS {
		wake.Of(new).Ways[0].Spans[0].PartMediansNS[i] *= 2
	}
	wake.Of(new).Timers.SlackNS *= 20
	return new
}

func TestDiffGolden(t *testing.T) {
	old, new := with(sampled(), trusted()), with(onceDemoted(), onceWorsened())
	golden(t, "diff.table", DiffFormats[0].Write, held(old, new))
	for _, d := range []*result.Document{old, new} { // for formats whose writers treat all rows alike
		costs := compare.Into(d)
		costs.Clocks = append(costs.Clocks[:1:1], costs.Clocks[4])
		costs.Clocks[0].Throughput = costs.Clocks[0].Throughput[:1]
		profile.Of(d).Processes = profile.Of(d).Processes[:1]
		d.Sections = []result.Section{costs, d.Section("skew"), d.Section("profile")}
	}
	for _, format := range DiffFormats {
		if slices.Contains([]string{"csv", "json"}, format.Name) { // the others use the writers of documents
			golden(t, "diff."+format.Name, format.Write, held(old, new))
		}
	}
}

func TestDiffOfOddParts(t *testing.T) {
	usual := both()
	for name, of := range odd() {
		for _, d := range []*diff.Diff{held(usual, of), held(of, usual), held(of, of)} {
			for _, format := range DiffFormats {
				if format.Name == "bench" && len(samples(d.Old.Document))+len(samples(d.New.Document)) == 0 {
					continue
				}
				got := requireSound(t, format, d, name)
				if format.Name == "table" && !strings.Contains(name, "size") {
					requireFits(t, got, table.Width)
				}
			}
		}
	}
}
