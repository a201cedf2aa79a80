package render

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
)

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
func demoted() *diff.Diff {
	old, new := sampled(), onceDemoted()
	return diff.Compare(diff.Read("before.json", old), diff.Read("after/results.json", new),
		section.Settings{MinChange: 0.02})
}

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

func same() *diff.Diff {
	return diff.Compare(diff.Read("a.json", sampled()), diff.Read("b.json", sampled()),
		section.Settings{MinChange: 0.02})
}

func TestDiffListsOtherLabelsAndNoise(t *testing.T) {
	old, new := sampled(), sampled()
	old.Labels, new.Labels = []string{"host=a", "rack=3"}, []string{"host=b", "rack=3"}
	old.Warnings, new.Warnings = nil, []result.Warning{{Kind: "load", Saw: "x", Spoilt: "y", Advice: "z"}}
	d := diff.Compare(diff.Read("a.json", old), diff.Read("b.json", new), section.Settings{MinChange: 0.02})
	var out strings.Builder
	require.NoError(t, OfDiff(d).Text(&out))
	require.Contains(t, out.String(), "Differences between the runs\n\nLabels  host=a, rack=3 → host=b, rack=3\nNoise   - → load\n")
}

func TestDiffOfDocumentsWithNothingInCommon(t *testing.T) {
	empty := &result.Document{Sections: []result.Section{new(compare.Costs)}}
	for _, d := range []*diff.Diff{
		diff.Compare(diff.Read("a", empty), diff.Read("b", empty), section.Settings{}),
		diff.Compare(diff.Read("a", sparse()), diff.Read("b", fixed()), section.Settings{}),
	} {
		var table bytes.Buffer
		require.NoError(t, OfDiff(d).Text(&table))
		require.Contains(t, table.String(), "no figure in common")
		for _, format := range DiffFormats {
			if err := format.Write(&bytes.Buffer{}, d); format.Name == "bench" && d.New.Document == empty {
				require.ErrorIs(t, err, errNoSamples)
			} else {
				require.NoError(t, err)
			}
		}
	}
}

// Every document that the loader accepts can be rendered: with the smallest and the largest values, and an empty one.
func TestExtremesCanBeRendered(t *testing.T) {
	for _, value := range []float64{0, 1e-9, 1e18} {
		d := sampled()
		compare.Into(d).FloorNS = value
		for i := range compare.Of(d).Clocks {
			c := &compare.Into(d).Clocks[i]
			if c.Latency != nil {
				*c.Latency = compare.Latency{MedianNS: value, MinNS: value,
					SamplesNS: []float64{value, value, value, value}}
				c.Resolution.TickNS, c.Resolution.ReportedNS = value, value
			}
			for j := range c.Throughput {
				c.Throughput[j].ReadsPerSecond, c.Throughput[j].NSPerRead = value, value
				c.Throughput[j].SamplesReadsPerSecond = []float64{value, value, value, value}
			}
			if c.Distribution != nil {
				*c.Distribution = compare.Distribution{
					P50NS: value, P90NS: value, P99NS: value, P999NS: value, MaxNS: value, Reads: 1, TenfoldReads: 1,
					Buckets: []compare.Bucket{{UpToNS: value, Reads: 1}},
				}
			}
		}
		var text bytes.Buffer
		require.NoError(t, d.Write(&text), "the loader refuses it, so it need not be rendered")
		for _, format := range Formats {
			if err := format.Write(io.Discard, d); value > 0 || !errors.Is(err, errNoSamples) { // 0 ns has no ratio
				require.NoError(t, err, "%v as %s", value, format.Name)
			}
		}
		for _, other := range []*result.Document{sampled(), d} {
			held := diff.Compare(diff.Read("a", d), diff.Read("b", other), section.Settings{MinChange: 0.02})
			for _, format := range DiffFormats {
				if err := format.Write(io.Discard, held); value > 0 || !errors.Is(err, errNoSamples) {
					require.NoError(t, err, "%v as %s", value, format.Name)
				}
			}
		}
	}
}
