package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
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

func TestDiffListsOtherLabelsAndNoise(t *testing.T) {
	old, new := sampled(), sampled()
	old.Labels, new.Labels = []string{"host=a", "rack=3"}, []string{"host=b", "rack=3"}
	old.Warnings, new.Warnings = nil, []result.Warning{{Kind: "load", Saw: "x", Spoilt: "y", Advice: "z"}}
	var out strings.Builder
	require.NoError(t, OfDiff(held(old, new)).Text(&out))
	require.Contains(t, out.String(), "Differences between the runs\n\nLabels  host=a, rack=3 → host=b, rack=3\nNoise   - → load\n")
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
