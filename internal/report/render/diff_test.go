package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	old.Labels, new.Labels, new.Warnings = []string{"host=a", "rack=3"}, []string{"host=b", "rack=3"}, nil
	table, _ := Named(DiffFormats, "table")
	golden(t, "diff.table", table.Write, held(old, new))
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

// The first line does not begin with "Nothing changed" if a figure has no verdict.
func TestUnjudgedFiguresAreFirst(t *testing.T) {
	new := sampled()
	compare.Into(new).Clocks[3].Latency.SamplesNS = compare.Of(new).Clocks[3].Latency.SamplesNS[:2]
	require.Regexp(t, `^1 of \d+ figures could not be judged, and nothing changed in the other \d+\.$`,
		OfDiff(held(sampled(), new)).answer)
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

// sampled is fixed with samples close around every median.
func sampled() *result.Document {
	d := fixed()
	around := func(center float64) []float64 {
		var samples []float64
		for i := range 20 {
			samples = append(samples, center*(1+float64(i)*1e-4))
		}
		return samples
	}
	for i := range compare.Of(d).Clocks {
		if l := compare.Of(d).Clocks[i].Latency; l != nil {
			l.SamplesNS = around(l.MedianNS)
		}
		for j := range compare.Of(d).Clocks[i].Throughput {
			t := &compare.Into(d).Clocks[i].Throughput[j]
			t.SamplesReadsPerSecond = around(t.ReadsPerSecond)
		}
	}
	return d
}

// demoted is the same machine after its clock source was changed to hpet.
func demoted() *diff.Diff { return held(sampled(), onceDemoted()) }

func onceDemoted() *result.Document {
	new := sampled()
	new.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet"}}
	new.Host.Kernel = "6.18.45"
	for j, factor := range []float64{40, 1.05, 0.9} {
		c := &compare.Into(new).Clocks[j]
		for i := range c.Latency.SamplesNS {
			c.Latency.SamplesNS[i] *= factor
		}
		for i := range c.Layers {
			c.Layers[i].NS *= factor
		}
		for k := range c.Throughput {
			for i := range c.Throughput[k].SamplesReadsPerSecond {
				c.Throughput[k].SamplesReadsPerSecond[i] /= factor * float64(k+1)
			}
		}
	}
	compare.Into(new).Clocks[3].Latency.SamplesNS = compare.Of(new).Clocks[3].Latency.SamplesNS[:2]
	compare.Into(new).Clocks[4] = compare.Clock{ID: "time@vdso", Reason: "this vDSO has no function for it"}
	compare.Into(new).Clocks[6].Available, compare.Into(new).Clocks[6].Latency = true,
		&compare.Latency{SamplesNS: []float64{565}}
	return new
}

func TestDiffOfDocumentsWithNothingInCommon(t *testing.T) {
	empty := &result.Document{Sections: []result.Section{new(compare.Costs)}}
	for _, d := range []*diff.Diff{held(empty, empty), held(sparse(), fixed()), held(trusted(), sampled())} {
		var table bytes.Buffer
		require.NoError(t, OfDiff(d).Text(&table))
		require.Contains(t, table.String(), "no figure in common")
		require.Equal(t, d.Old.Document.Section("verification") != nil,
			strings.Contains(table.String(), "Verification\n\nOnly the old document has this.\n"))
		for _, format := range DiffFormats {
			if err := format.Write(&bytes.Buffer{}, d); format.Name == "bench" && d.New.Document == empty {
				require.ErrorIs(t, err, errNoSamples)
			} else {
				require.NoError(t, err)
			}
		}
	}
}
