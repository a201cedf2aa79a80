package compare

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

// run is a run with one clock, whose samples are around ns.
func run(ns float64) *Costs {
	perSecond := []float64{2e9 / ns, 4e9 / ns}
	return &Costs{
		FloorNS: ns / 10,
		Clocks: []Clock{
			{
				ID: "c", Available: true, KernelEntry: result.Never, KernelEntryBy: "seccomp",
				Latency: LatencyOf([]float64{ns, ns + 2, ns + 1}, []float64{ns, ns, ns}), UserModeNS: 1,
				Layers: []Layer{{"call", ns - 17, ns - 18, ns - 16}, {"convert", 8, 7, 9}},
				Throughput: []Throughput{{Threads: 1, ReadsPerSecond: 3e9 / ns, NSPerRead: ns / 3, Fairness: 1,
					SamplesReadsPerSecond: perSecond}},
			},
			{ID: "gone", Reason: "no such file"},
		},
		OtherClockSources: []Experiment{{ClockSource: "hpet", FloorNS: ns,
			Clocks: []Clock{{ID: "c", Available: true, Latency: LatencyOf([]float64{ns * 40}, nil)}}}},
	}
}

// reread returns the error of writing a document with these costs, or of reading it again.
func reread(t *testing.T, costs *Costs) error {
	t.Helper()
	d := document()
	d.Sections = []result.Section{costs}
	var written bytes.Buffer
	if err := d.Write(&written); err != nil {
		return err
	}
	_, err := result.Loader{Kind.New}.Read(&written)
	return err
}

func TestJoin(t *testing.T) {
	first := run(20)
	joined := Join([]*Costs{first, run(22), run(21)})
	require.Equal(t, 2.1, joined.FloorNS)
	c := joined.Clocks[0]
	require.Equal(t, []int{3, 3, 3}, c.Latency.Runs)
	require.Equal(t, []float64{20, 22, 21, 22, 24, 23, 21, 23, 22}, c.Latency.SamplesNS)
	require.Equal(t, 22.0, c.Latency.MedianNS)
	require.Equal(t, 21.0, c.Latency.CostNS(), "the median of the costs of the runs")
	require.Equal(t, []Layer{{"call", 6, 4, 8}, {"convert", 16, 14, 18}}, c.Layers, "of the first run, scaled to the latency")
	benchmarked := SamplesOf(subjects(&result.Document{Sections: []result.Section{joined}}))
	require.Equal(t, section.Sample{Name: "Latency/clock=" + c.ID, NSPerRead: 23}, benchmarked[1], "a median of a run")
	require.Equal(t, []int{2, 2, 2}, c.Throughput[0].Runs)
	require.Len(t, c.Throughput[0].SamplesReadsPerSecond, 6)
	require.Equal(t, []int{1, 1, 1}, joined.OtherClockSources[0].Clocks[0].Latency.Runs)
	require.Equal(t, 21.0, joined.OtherClockSources[0].FloorNS)
	require.Equal(t, "no such file", joined.Clocks[1].Reason)
	require.Nil(t, first.Clocks[0].Latency.Runs, "the runs are not changed")
	require.Equal(t, 3.0, first.Clocks[0].Layers[0].NS, "the runs are not changed")
	require.Equal(t, 20.0, first.OtherClockSources[0].FloorNS, "the runs are not changed")

	require.NoError(t, reread(t, joined))
	again := Join([]*Costs{joined, run(20)})
	require.Equal(t, []int{3, 3, 3, 3}, again.Clocks[0].Latency.Runs, "joined runs can be joined")
	require.Same(t, first, Join([]*Costs{first}))
}

func TestJoinTakesWhatEachRunHas(t *testing.T) {
	with, without := run(20), run(22)
	without.Clocks[0] = Clock{ID: "c", Reason: "a late worker"}
	with.Clocks = append(with.Clocks, Clock{ID: "new", Available: true, Latency: LatencyOf([]float64{1}, nil)})
	joined := Join([]*Costs{without, with})
	require.True(t, joined.Clocks[0].Available, "a clock that could be read in one run is available")
	require.Equal(t, with.Clocks[0].Latency, joined.Clocks[0].Latency)
	require.Nil(t, joined.Clocks[0].Throughput[0].Runs)
	require.Equal(t, "new", joined.Clocks[2].ID)

	old := run(20)
	old.Clocks[0].Latency.QuietSamplesNS = nil
	require.Empty(t, Join([]*Costs{old, run(22)}).Clocks[0].Latency.QuietSamplesNS, "one run has no quickest slices")
}

// Threads that share busy CPUs may read nothing in most windows of a run, whose rate is its count then.
func TestJoinOfRunsWithEmptyWindows(t *testing.T) {
	empty := func(ns float64) *Costs {
		costs := run(ns)
		costs.Clocks[0].Throughput[0].SamplesReadsPerSecond = []float64{0, 0, 1e9}
		return costs
	}
	joined := Join([]*Costs{empty(20), empty(24), empty(22)})
	require.NoError(t, reread(t, joined))
	require.InEpsilon(t, 3e9/22, joined.Clocks[0].Throughput[0].ReadsPerSecond, 1e-9)
}

// A document from another program may have a median without samples, or more runs than can be compared.
func TestJoinOfRunsWithoutSamples(t *testing.T) {
	none := run(20)
	none.Clocks[0].Latency = &Latency{MedianNS: 20, SamplesNS: []float64{}}
	require.Equal(t, none.Clocks[0].Latency, Join([]*Costs{none, none}).Clocks[0].Latency)
	with := run(22)
	require.Equal(t, with.Clocks[0].Latency, Join([]*Costs{none, with}).Clocks[0].Latency)

	many := run(20)
	many.Clocks[0].Latency = LatencyOf(slices.Repeat([]float64{20}, 2*MaxRuns), nil)
	many.Clocks[0].Latency.Runs = slices.Repeat([]int{1}, 2*MaxRuns)
	require.ErrorContains(t, reread(t, many), "are 200; there are 100 at most")
	d := document()
	d.Put(many)
	require.Equal(t, MaxRuns, compare(d, d, usual).Changes[0].OldRuns)
}

func TestJoinedKernelEntry(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{result.Never, result.Never, result.Never}, {result.Never, result.Always, result.Sometimes},
		{result.Unknown, result.Always, result.Always},
		{result.Always, result.Unknown, result.Always}, {"", result.Never, result.Never},
		{result.Never, "", result.Never}, {"", "", ""},
	} {
		a, b := run(20), run(20)
		a.Clocks[0].KernelEntry, b.Clocks[0].KernelEntry = test.a, test.b
		joined := Join([]*Costs{a, b}).Clocks[0]
		require.Equal(t, test.want, joined.KernelEntry, "%v", test)
		require.Equal(t, test.want != test.a, joined.Layers == nil && joined.UserModeNS == 0, "another path: %v", test)
	}
}

func TestRunsAreChecked(t *testing.T) {
	const quarter = math.MaxInt/2 + 1 // of the range of an int
	for name, counts := range map[string][]int{
		"too few": {1, 1}, "too many": {3, 1}, "none in a run": {3, 0}, "negative": {4, -1},
		"more than an int holds": {quarter, quarter, quarter, quarter, 3},
	} {
		costs := run(20)
		costs.Clocks[0].Latency.Runs = counts
		require.ErrorContains(t, reread(t, costs), "runs", name)
	}
}
