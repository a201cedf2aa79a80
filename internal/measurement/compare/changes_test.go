package compare

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
)

var usual = section.Settings{MinChange: 0.02}

// clean is samples around ns with a jitter of a thousandth.
func clean(chance *rand.Rand, ns float64) []float64 {
	samples := make([]float64, 40)
	for i := range samples {
		samples[i] = ns * (1 + 0.001*chance.Float64())
	}
	return samples
}

// disturbed is clean with a share of longer samples.
func disturbed(chance *rand.Rand, ns, share float64) []float64 {
	samples := clean(chance, ns)
	for i := range samples {
		if chance.Float64() < share {
			samples[i] *= 1 + chance.Float64()
		}
	}
	return samples
}

func document(clocks ...Clock) *result.Document {
	return &result.Document{Schema: result.Schema, Settings: result.Settings{Pin: "none", Workers: "threads"},
		Sections: []result.Section{&Costs{Clocks: clocks}}}
}

// latency is a clock in user mode with the samples of some runs.
func latency(id string, runs ...[]float64) Clock {
	var joined []Clock
	for _, samples := range runs {
		c := Clock{ID: id, Available: true, KernelEntry: result.Never, Latency: &Latency{}}
		if len(samples) > 0 {
			c.Latency = LatencyOf(samples, nil)
		}
		joined = append(joined, c)
	}
	return joinClock(joined)
}

// reading is the throughput of threads that each have these times of a read in ns.
func reading(threads int, ns []float64) Throughput {
	one := Throughput{Threads: threads}
	for _, sample := range ns {
		one.SamplesReadsPerSecond = append(one.SamplesReadsPerSecond, float64(threads)*1e9/sample)
	}
	return one
}

func compare(old, new *result.Document, s section.Settings) *Changes {
	return changesOf(subjects(old), subjects(new), otherSpeed(old, new), s)
}

func compareOne(t *testing.T, old, new Clock) Change {
	t.Helper()
	d := compare(document(old), document(new), usual)
	require.Len(t, d.Changes, 1)
	return d.Changes[0]
}

func TestVerdictsOnOneRun(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	mixed := func(n int, ns, rest float64) []float64 {
		return append(clean(chance, ns)[:n], clean(chance, rest)[n:]...)
	}
	for _, test := range []struct {
		name     string
		old, new []float64
		want     Verdict
	}{
		{"nothing changed", clean(chance, 20), clean(chance, 20), Same},
		{"five per cent slower", clean(chance, 20), clean(chance, 21), Slower},
		{"five per cent faster", clean(chance, 21), clean(chance, 20), Faster},
		{"slower under some noise", disturbed(chance, 20, 0.2), disturbed(chance, 21, 0.2), Slower},
		{"below the floor of one run", clean(chance, 20), clean(chance, 20.5), Same},
		{"only disturbed: the low samples did not move", clean(chance, 20), disturbed(chance, 20, 0.8), Same},
		{"46 times slower but for three samples", clean(chance, 20), append(clean(chance, 920)[:37], 20, 20, 20),
			Slower},
		{"46 times slower, and one odd sample before", append(clean(chance, 20)[:39], 0.1), clean(chance, 920), Slower},
		{"five per cent slower, half of the old run disturbed", mixed(20, 20, 20.9), clean(chance, 21), Slower},
		{"the same, half of the old run disturbed", mixed(20, 20, 20.9), clean(chance, 20), Same},
		{"demoted after a third of the run", clean(chance, 20), mixed(12, 20, 920), Unsteady},
		{"promoted after a third of the run", mixed(12, 20, 920), clean(chance, 20), Unsteady},
		{"in turbo mode for a tenth of the run", mixed(4, 19, 20), clean(chance, 20), Same},
		{"undisturbed for an eighth of the run", clean(chance, 20), mixed(5, 20, 30), Unsteady},
		{"a clock source was demoted", clean(chance, 20), disturbed(chance, 900, 0.5), Slower},
		{"a neighbour that never rests adds as much to all, which nothing tells from a slower clock", clean(chance, 20),
			clean(chance, 22), Slower},
		{"four samples a side", clean(chance, 20)[:4], clean(chance, 40)[:4], TooFew},
		{"five samples a side", clean(chance, 20)[:5], clean(chance, 40)[:5], Slower},
		{"one sample after many", clean(chance, 20), []float64{200}, TooFew},
	} {
		c := compareOne(t, latency("c", test.old), latency("c", test.new))
		require.Equal(t, test.want, c.Verdict, "%s: %+v", test.name, c)
		require.Zero(t, c.Confidence, "one run does not show how runs differ")
		require.InDelta(t, c.NewNS/c.OldNS-1, c.Change, 1e-9, "the costs have the ratio that is printed as the change")
	}
}

func TestVerdictsOnSeveralRuns(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	runs := func(costs ...float64) Clock {
		var all [][]float64
		for _, ns := range costs {
			all = append(all, clean(chance, ns))
		}
		return latency("c", all...)
	}
	slow := clean(chance, 21)
	for _, test := range []struct {
		name     string
		old, new Clock
		want     Verdict
		interval bool
	}{
		{"nothing changed", runs(20, 20.1, 20, 20.2, 20), runs(20.1, 20, 20, 20, 20.2), Same, true},
		{"three per cent slower", runs(20, 20.1, 20, 20.2, 20), runs(20.6, 20.7, 20.6, 20.8, 20.6), Slower, true},
		{"three per cent faster", runs(20.6, 20.7, 20.6, 20.8, 20.6), runs(20, 20.1, 20, 20.2, 20), Faster, true},
		{"three per cent slower, a disturbed run", runs(20, 20, 20, 20, 20), runs(20.6, 20.6, 20.6, 29, 20.6), Slower,
			true},
		{"three per cent slower, and a run of five contradicts", runs(20, 24, 20, 20, 20),
			runs(20.6, 20.6, 20.6, 20.6, 20.6), Same, true},
		{"three per cent slower, and a run of ten contradicts", runs(20, 24, 20, 20, 20, 20, 20, 20, 20, 20),
			runs(slices.Repeat([]float64{20.6}, 10)...), Slower, true},
		{"half as slow again, and a run of five contradicts", runs(20, 20, 20, 20, 20), runs(30, 30, 30, 30, 19.8),
			Unsteady, true},
		{"a disturbed run", runs(20, 20, 20, 20, 20), runs(20, 20, 20, 29, 20), Same, true},
		{"three per cent, and the runs differ by as much", runs(20, 20.9, 20, 20.9, 20.1),
			runs(20.1, 21.3, 20, 20.9, 21.4), Same, true},
		{"below the smallest change", runs(20, 20, 20, 20, 20), runs(20.3, 20.3, 20.3, 20.3, 20.3), Same, true},
		{"four runs have no interval, and the floor of one", runs(20, 20, 20, 20), runs(20.5, 20.5, 20.5, 20.5), Same,
			false},
		{"three runs that are five per cent slower", runs(20, 20, 20), runs(21, 21, 21), Slower, false},
		{"one of the old runs as the new one", latency("c", clean(chance, 20), clean(chance, 20), slow),
			latency("c", slow), Same, false},
		{"within the spread of three runs, which is large", runs(20, 20, 24), runs(23), Unsteady, false},
		{"within the spread of three runs", runs(20, 20, 21), runs(20.9), Same, false},
		{"three runs of which one contradicts", runs(20, 20, 20), runs(21, 21, 20), Same, false},
		{"a single run beyond the spread of three", runs(20, 20, 20.2), runs(21), Slower, false},
		{"a single run beside several", runs(20, 20, 20, 20, 20), runs(20.5), Same, false},
	} {
		c := compareOne(t, test.old, test.new)
		require.Equal(t, test.want, c.Verdict, "%s: %+v", test.name, c)
		require.Equal(t, test.interval, c.Confidence > 0, test.name)
		if test.interval {
			require.LessOrEqual(t, c.Low, c.Change, test.name)
			require.GreaterOrEqual(t, c.High, c.Change, test.name)
		}
	}
}

// Rounds that are disturbed throughout have quiet slices, which decide the verdict. If a document has no slices, the
// rounds decide.
func TestQuickestSlicesDecide(t *testing.T) {
	chance := rand.New(rand.NewPCG(15, 16))
	with := func(samples, quiet []float64) Clock {
		c := latency("c", samples)
		c.Latency.QuietSamplesNS = quiet
		return c
	}
	calm, slow, loud := clean(chance, 20), clean(chance, 21), clean(chance, 30)
	require.Equal(t, Slower, compareOne(t, with(loud, calm), with(loud, slow)).Verdict)
	require.Equal(t, Faster, compareOne(t, with(loud, slow), with(calm, calm)).Verdict)
	require.Equal(t, Same, compareOne(t, with(calm, calm), with(loud, calm)).Verdict)
	half := compare(document(with(calm, calm)), document(with(clean(chance, 45), calm)), usual)
	require.Equal(t, Unsteady, half.Changes[0].Verdict, "each round had a quick slice, and most reads were slower")
	_, unjudged := half.Gate(0.3)
	require.Equal(t, map[Verdict][]string{Unsteady: {"c"}}, unjudged)
	for _, none := range [][]float64{nil, make([]float64, 40)} {
		require.Equal(t, Slower, compareOne(t, with(calm, none), with(slow, calm)).Verdict)
		require.Equal(t, Slower, compareOne(t, with(calm, calm), with(slow, none)).Verdict)
	}
}

func TestThroughputIsComparedByThreads(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 8))
	at := func(threads int, ns float64) Throughput { return reading(threads, clean(chance, ns)) }
	old := Clock{ID: "c", Available: true, Throughput: []Throughput{at(1, 20), at(2, 20), at(4, 20)}}
	new := Clock{ID: "c", Available: true, Throughput: []Throughput{at(2, 40), at(1, 20), at(8, 20)}}
	d := compare(document(old), document(new), usual)
	require.Len(t, d.Changes, 2)
	require.Equal(t, 1, d.Changes[0].Threads)
	require.Equal(t, Same, d.Changes[0].Verdict)
	require.Equal(t, 2, d.Changes[1].Threads)
	require.Equal(t, Slower, d.Changes[1].Verdict)
	require.InDelta(t, 1, d.Changes[1].Change, 0.01)
	slower, unjudged := d.Gate(0.5)
	require.Equal(t, []string{"c with 2 threads"}, slower)
	require.Empty(t, unjudged)
	slower, _ = d.Gate(1.5)
	require.Empty(t, slower)
	require.Equal(t, []string{"c with 4 threads"}, d.Lost)
	require.Empty(t, d.Latencies())
	_, unjudged = compare(document(latency("c", []float64{1})), document(latency("c", []float64{2})), usual).Gate(0.5)
	require.Equal(t, map[Verdict][]string{TooFew: {"c"}}, unjudged)

	// Neighbours take CPUs, for as long as they run.
	for kind, want := range map[string]Verdict{"load": Unsteady, "steal": Unsteady, "quota": Unsteady,
		"frequency": Slower} {
		busy := document(new)
		busy.Warnings = []result.Warning{{Kind: kind}}
		d = compare(document(old), busy, usual)
		require.Equal(t, want, d.Changes[1].Verdict, kind)
		_, unjudged = d.Gate(0.5)
		require.Equal(t, want == Unsteady, len(unjudged[Unsteady]) == 1)
		_, unjudged = d.Gate(1.5)
		require.Empty(t, unjudged)
		slow := Clock{ID: "c", Available: true, Throughput: []Throughput{at(2, 80)}}
		Into(busy).Clocks = []Clock{slow}
		require.Equal(t, Slower, compare(document(old), busy, usual).Changes[0].Verdict, "no neighbour does that")
	}
}

// Experiments are compared with experiments with the same clock source.
func TestExperimentsAreCompared(t *testing.T) {
	chance := rand.New(rand.NewPCG(11, 12))
	under := func(source string, ns float64) *result.Document {
		d := document(latency("c", clean(chance, 20)))
		Into(d).OtherClockSources = []Experiment{{ClockSource: source,
			Clocks: []Clock{latency("c", clean(chance, ns))}}}
		return d
	}
	d := compare(under("hpet", 600), under("hpet", 6000), usual)
	require.Equal(t, 2, d.Comparisons)
	require.Equal(t, Same, d.Changes[0].Verdict)
	require.Equal(t, Slower, d.Changes[1].Verdict)
	require.Equal(t, "c under hpet", d.Changes[1].Figure())
	require.Equal(t, []string{"c under hpet"}, compare(under("hpet", 600), under("acpi_pm", 600), usual).OnlyOld)
}

// Figures that only one document has are listed one by one, unless the other document lacks the subject.
func TestWhatOnlyOneDocumentHas(t *testing.T) {
	whole, silent := latency("c", []float64{1}), latency("c", nil) // interrupted before its first sample
	whole.Throughput = []Throughput{{Threads: 1, SamplesReadsPerSecond: []float64{1, 1}}}
	alone, threads := whole, whole
	alone.Throughput, threads.Latency, silent.Throughput = nil, nil, whole.Throughput
	gone := Clock{ID: "c", Reason: "no such file"}
	for _, test := range []struct {
		old, new Clock
		lost     []string
		only     []string
	}{
		{whole, threads, []string{"the latency of c"}, nil}, {whole, alone, []string{"c with 1 thread"}, nil},
		{whole, silent, []string{"the latency of c"}, nil}, {whole, gone, nil, []string{"c"}},
	} {
		there, back := compare(document(test.old), document(test.new), usual),
			compare(document(test.new), document(test.old), usual)
		require.Equal(t, [][]string{test.lost, test.only, nil}, [][]string{there.Lost, there.OnlyOld, there.OnlyNew})
		require.Equal(t, [][]string{nil, nil, test.only}, [][]string{back.Lost, back.OnlyOld, back.OnlyNew})
	}
}

// A document from another program may hold what timebench does not write.
func TestSamplesThatHaveNoRatioAreLeftOut(t *testing.T) {
	odd := document(
		latency("zero", []float64{0, 0, 0, 0}), latency("none", nil),
		Clock{ID: "idle", Available: true,
			Throughput: []Throughput{{Threads: 1, SamplesReadsPerSecond: []float64{0, 0}}}})
	d := compare(odd, odd, usual)
	require.Empty(t, d.Changes)
	_, err := json.Marshal(d)
	require.NoError(t, err)
}

// Each figure of a large document is looked up once. Comparing each with each would take an hour.
func TestManyFiguresAreCompared(t *testing.T) {
	const clocks, counts = 100, 1024
	many := func(from int) *result.Document {
		var all []Clock
		for i := range clocks {
			c := Clock{ID: "clock" + strconv.Itoa(i), Available: true}
			for threads := range counts {
				c.Throughput = append(c.Throughput, Throughput{Threads: from + threads,
					SamplesReadsPerSecond: []float64{1e9}})
			}
			all = append(all, c)
		}
		return document(all...)
	}
	d := compare(many(1), many(2), usual)
	require.Equal(t, clocks*(counts-1), d.Comparisons)
	require.Len(t, d.Lost, clocks)
	require.Empty(t, d.OnlyOld)
	require.Empty(t, d.OnlyNew)
}

// The statistic that decides is also printed and drawn: the change lies within its interval, and the interval of a
// verdict excludes 0 %.
func TestIntervalsAgreeWithTheVerdict(t *testing.T) {
	chance := rand.New(rand.NewPCG(41, 42))
	seen := map[Verdict]int{}
	for i := range 1000 {
		n, factor := []int{1, 2, 4, 5, 9}[i%5], 0.9+0.2*chance.Float64()
		of := func(ns float64) Clock {
			var runs [][]float64
			for range n {
				runs = append(runs, disturbed(chance, ns*(1+0.03*chance.Float64()), chance.Float64()))
			}
			return latency("c", runs...)
		}
		old, new := of(20), of(20*factor)
		c := compareOne(t, old, new)
		mirror := map[Verdict]Verdict{Slower: Faster, Faster: Slower, Same: Same, Unsteady: Unsteady}
		require.Equal(t, mirror[c.Verdict], compareOne(t, new, old).Verdict,
			"what is slower one way round is faster the other: %+v", c)
		require.Equal(t, n >= 5, c.Confidence > 0, "%d runs", n)
		low, high := ends(c)
		require.LessOrEqual(t, low, 1+c.Change)
		require.GreaterOrEqual(t, high, 1+c.Change)
		switch c.Verdict {
		case Slower:
			require.Greater(t, low, 1.0, "%+v", c)
			require.GreaterOrEqual(t, c.Change, c.Floor)
		case Faster:
			require.Less(t, high, 1.0, "%+v", c)
		}
		seen[c.Verdict]++
	}
	require.Subset(t, []Verdict{Slower, Faster, Same, Unsteady}, slices.Collect(maps.Keys(seen)))
	for _, verdict := range []Verdict{Slower, Faster, Same} {
		require.Positive(t, seen[verdict], verdict)
	}
}

// Unsteady figures stand below the significant differences, marked as unsteady; with threads, unchanged figures have no
// row. A figure with too few samples has a row, because the verdict counts it.
func TestUnsteadyFiguresStandBelowTheDifferences(t *testing.T) {
	chance := rand.New(rand.NewPCG(43, 44))
	verdicts := func(of ...Throughput) []string {
		old := Clock{ID: "c", Available: true, Throughput: []Throughput{reading(1, clean(chance, 20)),
			reading(2, clean(chance, 20))}}
		c, _ := compared(document(old), document(Clock{ID: "c", Available: true, Throughput: of}), usual)
		require.Contains(t, c.Block.Verdict, "1 figure is unsteady")
		var all []string
		g := c.Block.Grids[0]
		for _, row := range g.Rows {
			all = append(all, row[slices.Index(g.Header, "threads")]+" "+row[len(row)-1])
		}
		return all
	}
	unsteady := reading(2, append(clean(chance, 20)[:10], clean(chance, 50)[:30]...))
	require.Equal(t, []string{"2 unsteady (median +150 %)"}, verdicts(reading(1, clean(chance, 20)), unsteady))
	require.Equal(t, []string{"1 slower", "2 unsteady (median +150 %)"},
		verdicts(reading(1, clean(chance, 40)), unsteady))
	few := document(Clock{ID: "c", Available: true, Throughput: []Throughput{reading(2, []float64{20, 20})}})
	c, _ := compared(few, few, usual)
	require.Contains(t, c.Block.Verdict, "1 figure has too few samples for a verdict.")
	require.Contains(t, c.Block.Grids[0].Rows[0], "too few")
}

// The rule names the smallest change that has a verdict, also with another --min-change.
func TestRuleOfTheVerdicts(t *testing.T) {
	chance := rand.New(rand.NewPCG(45, 46))
	one := latency("c", clean(chance, 20))
	one.Throughput = []Throughput{reading(2, clean(chance, 20))}
	five := latency("c", slices.Repeat([][]float64{clean(chance, 20)}, 5)...)
	for _, test := range []struct {
		of   Clock
		min  float64
		want string
	}{
		{one, 0.02, "Changes below 4.0 % (latency in user mode) and 15.0 % (other figures) are not judged with fewer"},
		{one, 0.1, "Changes below 10.0 % (latency in user mode) and 15.0 % (other figures) are not judged with fewer"},
		{one, 0.2, "Changes below 20.0 % are not judged with fewer"},
		{five, 0.02, "Changes below 2.0 % are called the same, and so are those whose 99% CI includes 0 %."},
	} {
		c, _ := compared(document(test.of), document(test.of), section.Settings{MinChange: test.min})
		require.Contains(t, c.Block.Verdict, test.want)
	}
}

// The layers of a clock that became slower show where; unchanged clocks show no layers.
func TestLayersOfWhatChanged(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	run := func(ns float64, layers ...Layer) *result.Document {
		slow, same := latency("slow", clean(chance, ns)), latency("same", clean(chance, 20))
		slow.Layers, same.Layers = layers, layers
		return document(slow, same)
	}
	old := run(20, Layer{Name: "call", NS: 2}, Layer{Name: "read", NS: 18})
	got, _ := compared(old, run(30, Layer{Name: "call", NS: 2}, Layer{Name: "read", NS: 28}), usual)
	d := got.Value.(*Changes)
	require.Equal(t, []LayerChange{{"call", 2, 2}, {"read", 18, 28}}, d.Changes[0].Layers)
	require.Empty(t, d.Changes[1].Layers)
	require.Equal(t, []string{"slow", "read", "18.0", "28.0", "10 ns"}, got.Block.Grids[1].Rows[1])
	got, _ = compared(run(30, Layer{Name: "call", NS: 2}, Layer{Name: "read", NS: 28}), old, usual)
	require.Equal(t, []string{"slow", "read", "28.0", "18.0", "-10 ns"}, got.Block.Grids[1].Rows[1])
	got, _ = compared(old, run(30, Layer{Name: "call", NS: 2}, Layer{Name: "enter the kernel", NS: 28}), usual)
	require.Empty(t, got.Value.(*Changes).Changes[0].Layers, "another path")
}

// Single runs are not judged if the machine ran at another speed, nor, outside of user mode, with other programs
// running. Several runs show their own spread.
func TestConditionsOfTheMachine(t *testing.T) {
	type machine struct {
		cpu         string
		floorNS     float64
		entry, load string
	}
	slow, loaded, inKernel := machine{floorNS: 2.5}, machine{load: "load"}, machine{load: "load", entry: result.Always}
	unknown := machine{load: "load", entry: result.Unknown}
	chance := rand.New(rand.NewPCG(13, 14))
	for _, test := range []struct {
		name         string
		old, new     machine
		oldNS, newNS float64
		runs         int
		want         Verdict
	}{
		{"the same speed", machine{floorNS: 1.5}, machine{floorNS: 1.55}, 20, 30, 1, Slower},
		{"another speed", machine{floorNS: 1.5}, slow, 20, 30, 1, Unsteady},
		{"another speed, the other way", slow, machine{floorNS: 1.5}, 30, 20, 1, Unsteady},
		{"no speed makes reads so slow", machine{floorNS: 1.5}, slow, 20, 900, 1, Slower},
		{"another speed, and nothing changed", machine{floorNS: 1.5}, slow, 20, 20, 1, Same},
		{"another CPU", machine{floorNS: 1.5}, machine{floorNS: 2.5, cpu: "B"}, 20, 30, 1, Slower},
		{"an old document without the empty call", machine{}, slow, 20, 30, 1, Slower},
		{"another speed, five runs", machine{floorNS: 1.5}, slow, 20, 30, 5, Slower},
		{"load, in user mode", loaded, loaded, 20, 30, 1, Slower},
		{"load, in the kernel", inKernel, inKernel, 20, 30, 1, Unsteady},
		{"load, unknown", unknown, unknown, 20, 30, 1, Unsteady},
		{"no load makes reads so slow", inKernel, inKernel, 20, 70, 1, Slower},
		{"load, five runs", inKernel, inKernel, 20, 30, 5, Slower},
	} {
		of := func(m machine, ns float64) *result.Document {
			var runs [][]float64
			for range test.runs {
				runs = append(runs, clean(chance, ns))
			}
			c := latency("c", runs...)
			c.KernelEntry = cmp.Or(m.entry, result.Never)
			d := document(c)
			d.Host.CPU.Model, d.Conditions = m.cpu, &result.Conditions{FloorLowNS: m.floorNS}
			if m.load != "" {
				d.Warnings = []result.Warning{{Kind: m.load}}
			}
			return d
		}
		c := compare(of(test.old, test.oldNS), of(test.new, test.newNS), usual).Changes
		require.Len(t, c, 1, test.name)
		require.Equal(t, test.want, c[0].Verdict, "%s: %+v", test.name, c[0])
	}
}
