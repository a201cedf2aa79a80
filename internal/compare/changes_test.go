package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
)

var usual = section.Settings{Alpha: 0.05, MinChange: 0.02}

// clean is samples around ns with a jitter of a thousandth.
func clean(chance *rand.Rand, ns float64) []float64 {
	samples := make([]float64, 40)
	for i := range samples {
		samples[i] = ns * (1 + 0.001*chance.Float64())
	}
	return samples
}

// disturbed is clean with a share of samples that something made longer.
func disturbed(chance *rand.Rand, ns, share float64) []float64 {
	samples := clean(chance, ns)
	for i := range samples {
		if chance.Float64() < share {
			samples[i] *= 1 + chance.Float64()
		}
	}
	return samples
}

// evenly is samples from ns to a half above.
func evenly(chance *rand.Rand, ns float64) []float64 {
	samples := make([]float64, 40)
	for i := range samples {
		samples[i] = ns * (1 + 0.5*chance.Float64())
	}
	return samples
}

// rising is samples from ns on, each further away by the step, as a share.
func rising(ns, step float64) []float64 {
	samples := make([]float64, 77)
	for i := range samples {
		samples[(i*31)%len(samples)] = ns * (1 + step*float64(i))
	}
	return samples
}

// many is more samples than the test is exact for.
func many(ns float64) []float64 { return rising(ns, 0.00001) }

func document(clocks ...Clock) *result.Document {
	return &result.Document{Schema: result.Schema, Settings: result.Settings{Pin: "none", Workers: "threads"}, Sections: []result.Section{&Costs{Clocks: clocks}}}
}

func latency(id string, samples []float64) Clock {
	return Clock{ID: id, Available: true, Latency: &Latency{SamplesNS: samples}}
}

func between(old, new *result.Document, s section.Settings) *Changes {
	return allRules.compare(old, new, s)
}

func compareOne(t *testing.T, old, new []float64) Change {
	t.Helper()
	d := between(document(latency("c", old)), document(latency("c", new)), usual)
	require.Len(t, d.Changes, 1)
	requireBounds(t, d.Changes[0], usual)
	return d.Changes[0]
}

func TestVerdicts(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct {
		name     string
		old, new []float64
		want     Verdict
	}{
		{"nothing changed", clean(chance, 20), clean(chance, 20), Same},
		{"three per cent slower", clean(chance, 20), clean(chance, 20.6), Slower},
		{"three per cent faster", clean(chance, 20.6), clean(chance, 20), Faster},
		{"slower under some noise", disturbed(chance, 20, 0.2), disturbed(chance, 20.6, 0.2), Slower},
		{"certain, and too small to mean anything", clean(chance, 20), clean(chance, 20.2), Same},
		{"only disturbed: the quiet samples did not move", clean(chance, 20), disturbed(chance, 20, 0.45), Same},
		{"disturbed by much", clean(chance, 20), disturbed(chance, 20, 0.85), Unsteady},
		{"disturbed throughout: the quiet samples moved, but noise is as large", clean(chance, 20), disturbed(chance, 21, 0.97), Unsteady},
		{"the calm of the old run", disturbed(chance, 20, 0.85), clean(chance, 20), Unsteady},
		{"46 times slower but for one sample", clean(chance, 20), append(clean(chance, 920)[:39], 20), Slower},
		{"46 times slower, and one odd sample before", append(clean(chance, 20)[:39], 0.1), clean(chance, 920), Slower},
		{"a sixth slower but for one sample", clean(chance, 20), append(clean(chance, 23.4)[:39], 20), Slower},
		{"three per cent slower, half of the old run disturbed", append(clean(chance, 20)[:20], clean(chance, 20.9)[:20]...), clean(chance, 20.6), Slower},
		{"three per cent slower, seven tenths of the new run disturbed", clean(chance, 20), append(clean(chance, 20.6)[:12], clean(chance, 22)[:28]...), Slower},
		{"the same, half of the old run disturbed", append(clean(chance, 20)[:20], clean(chance, 20.9)[:20]...), clean(chance, 20), Same},
		{"demoted after a third of the run", clean(chance, 20), append(clean(chance, 20)[:12], clean(chance, 920)[:28]...), Unsteady},
		{"promoted after a third of the run", append(clean(chance, 20)[:12], clean(chance, 920)[:28]...), clean(chance, 20), Unsteady},
		{"a clock source was demoted", clean(chance, 20), disturbed(chance, 900, 0.5), Slower},
		{"a fifth of the new run quicker, as a CPU is that was cool", clean(chance, 20), append(clean(chance, 19.2)[:8], clean(chance, 20)[:32]...), Same},
		{"disturbed evenly throughout, so that no sample is quiet", clean(chance, 20), evenly(chance, 20), Unsteady},
		{"the quiet of the old run, likewise", evenly(chance, 20), clean(chance, 20), Unsteady},
		{"three per cent slower than a run with few quiet samples", rising(20, 0.002), clean(chance, 20.62), Slower},
		{"the faster run has few quiet samples", clean(chance, 20.62), rising(20, 0.002), Faster},
		{"three per cent slower, with few quiet samples", clean(chance, 20), rising(20.62, 0.006), Unsteady},
		{"a neighbour that never rests adds as much to all, which nothing tells from a slower clock", clean(chance, 20), clean(chance, 22), Slower},
		{"ten times slower, four samples of many", many(20), []float64{200, 201, 202, 203}, Slower},
		{"one sample after many", many(20), []float64{200}, TooFew},
		{"three samples after many", many(20), []float64{200, 201, 202}, Slower},
		{"three samples a side", clean(chance, 20)[:3], clean(chance, 40)[:3], TooFew},
		{"a sample a side", clean(chance, 20)[:1], clean(chance, 40)[:1], TooFew},
	} {
		c := compareOne(t, test.old, test.new)
		require.Equal(t, test.want, c.Verdict, "%s: %+v", test.name, c)
	}
}

// Rounds that are disturbed throughout have quiet slices, and the verdict goes by them;
// where either document is of before they were kept it goes by the rounds.
func TestQuickestSlicesDecide(t *testing.T) {
	chance := rand.New(rand.NewPCG(15, 16))
	with := func(samples, quiet []float64) *result.Document {
		c := latency("c", samples)
		c.Latency.QuietSamplesNS = quiet
		return document(c)
	}
	calm, slow, loud := clean(chance, 20), clean(chance, 20.6), evenly(chance, 21)
	require.Equal(t, Slower, between(with(loud, calm), with(loud, slow), usual).Changes[0].Verdict)
	require.Equal(t, Faster, between(with(loud, slow), with(calm, calm), usual).Changes[0].Verdict)
	require.Equal(t, Same, between(with(calm, calm), with(slow, clean(chance, 20)), usual).Changes[0].Verdict)
	require.Equal(t, Unsteady, between(with(calm, calm), with(clean(chance, 30), disturbed(chance, 20, 0.9)), usual).Changes[0].Verdict)
	// No read of the old run was as slow as most of the new one, though each round had a quick slice.
	half := between(with(calm, calm), with(clean(chance, 30), calm), usual)
	require.Equal(t, Unsteady, half.Changes[0].Verdict)
	require.Len(t, half.UnsteadyAbove(0.3), 1)
	require.Equal(t, Unsteady, between(with(clean(chance, 30), calm), with(calm, calm), usual).Changes[0].Verdict)
	for _, none := range [][]float64{nil, make([]float64, 40)} {
		require.Equal(t, Slower, between(with(calm, none), with(slow, calm), usual).Changes[0].Verdict)
		require.Equal(t, Slower, between(with(calm, calm), with(slow, none), usual).Changes[0].Verdict)
	}
}

func TestChangeAndItsInterval(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	c := compareOne(t, clean(chance, 20), clean(chance, 22))
	require.InDelta(t, 0.1, c.Change, 0.001)
	require.Less(t, c.Low, c.Change)
	require.Greater(t, c.High, c.Change)
	require.InDelta(t, c.Change, c.Low, 0.002)
	require.InDelta(t, c.Change, c.High, 0.002)
	few := compareOne(t, []float64{1, 1.01, 1.02, 1.03, 1.04}, []float64{2, 2.01, 2.02, 2.03, 2.04})
	require.Zero(t, few.Low)
	require.Zero(t, few.High)
	require.Equal(t, Slower, few.Verdict, "five samples a side can tell, though they have no interval")
}

// With many comparisons five samples a side can tell nothing any more.
func TestCorrectionForManyComparisons(t *testing.T) {
	var old, new []Clock
	for i := range 20 {
		id := fmt.Sprint("c", i)
		old = append(old, latency(id, []float64{1, 1.1, 1.2, 1.3, 1.4}))
		new = append(new, latency(id, []float64{2, 2.1, 2.2, 2.3, 2.4}))
	}
	d := between(document(old...), document(new...), usual)
	require.Equal(t, 20, d.Comparisons)
	for _, c := range d.Changes {
		require.Equal(t, TooFew, c.Verdict)
		require.InDelta(t, 20*2*2/252.0, c.P, 0.001)
	}
}

// Of documents that differ by chance alone, at most a share of alpha has any
// verdict; here the samples lie far apart, so that only the test decides.
func TestFamilyOfComparisonsKeepsAlpha(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 6))
	const pairs = 400
	s := section.Settings{Alpha: 0.05}
	wrong := 0
	wide := func(id string) Clock {
		c := latency(id, make([]float64, 40))
		c.Latency.QuietSamplesNS = make([]float64, 40)
		for i := range c.Latency.SamplesNS {
			quiet := 1 + chance.Float64()
			c.Latency.QuietSamplesNS[i], c.Latency.SamplesNS[i] = quiet, quiet+chance.Float64()
		}
		return c
	}
	for range pairs {
		var old, new []Clock
		for i := range 10 {
			old, new = append(old, wide(strconv.Itoa(i))), append(new, wide(strconv.Itoa(i)))
		}
		for _, c := range between(document(old...), document(new...), s).Changes {
			if c.P <= s.Alpha {
				wrong++
				break
			}
		}
	}
	require.LessOrEqual(t, float64(wrong)/pairs, 0.08, "Holm's correction does not hold")
	require.Positive(t, wrong, "the correction is so strict that nothing would ever be found")
}

func TestThroughputIsComparedByThreads(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 8))
	at := func(threads int, ns float64) Throughput {
		var perSecond []float64
		for _, sample := range clean(chance, ns) {
			perSecond = append(perSecond, float64(threads)*1e9/sample)
		}
		return Throughput{Threads: threads, SamplesReadsPerSecond: perSecond}
	}
	old := Clock{ID: "c", Available: true, Throughput: []Throughput{at(1, 20), at(2, 20), at(4, 20)}}
	new := Clock{ID: "c", Available: true, Throughput: []Throughput{at(2, 40), at(1, 20), at(8, 20)}}
	d := between(document(old), document(new), usual)
	require.Len(t, d.Changes, 2)
	require.Equal(t, 1, d.Changes[0].Threads)
	require.Equal(t, Same, d.Changes[0].Verdict)
	require.Equal(t, 2, d.Changes[1].Threads)
	require.Equal(t, Slower, d.Changes[1].Verdict)
	require.InDelta(t, 1, d.Changes[1].Change, 0.01)
	require.Equal(t, "c with 2 threads", d.SlowerThan(0.5)[0].Figure())
	require.Empty(t, d.SlowerThan(1.5))
	require.Equal(t, []string{"c with 4 threads"}, d.Lost)
	require.Len(t, d.Throughputs(), 2)
	require.Empty(t, d.Latencies())
	require.Empty(t, d.Untold())
	few := between(document(latency("c", []float64{1})), document(latency("c", []float64{2})), usual)
	require.Equal(t, "c", few.Untold()[0].Figure())

	// Neighbours take CPUs, for as long as they run.
	for kind, want := range map[string]Verdict{"load": Unsteady, "steal": Unsteady, "quota": Unsteady, "frequency": Slower} {
		busy := document(new)
		busy.Warnings = []result.Warning{{Kind: kind}}
		d = between(document(old), busy, usual)
		require.Equal(t, want, d.Changes[1].Verdict, kind)
		require.Equal(t, want == Unsteady, len(d.UnsteadyAbove(0.5)) == 1)
		require.Empty(t, d.UnsteadyAbove(1.5))
		slow := Clock{ID: "c", Available: true, Throughput: []Throughput{at(2, 80)}}
		Into(busy).Clocks = []Clock{slow}
		require.Equal(t, Slower, between(document(old), busy, usual).Changes[0].Verdict, "no neighbour does that")
	}
}

// Experiments with other clock sources are compared with those of the same.
func TestExperimentsAreCompared(t *testing.T) {
	chance := rand.New(rand.NewPCG(11, 12))
	under := func(source string, ns float64) *result.Document {
		d := document(latency("c", clean(chance, 20)))
		Into(d).OtherClockSources = []Experiment{{ClockSource: source, Clocks: []Clock{latency("c", clean(chance, ns))}}}
		return d
	}
	d := between(under("hpet", 600), under("hpet", 6000), usual)
	require.Equal(t, 2, d.Comparisons)
	require.Equal(t, Same, d.Changes[0].Verdict)
	require.Equal(t, Slower, d.Changes[1].Verdict)
	require.Equal(t, "c under hpet", d.Changes[1].Figure())
	require.Equal(t, []string{"c under hpet"}, between(under("hpet", 600), under("acpi_pm", 600), usual).OnlyOld)
}

// What the old document has and the new one has not is named, figure by figure.
func TestLostFigures(t *testing.T) {
	chance := rand.New(rand.NewPCG(13, 14))
	whole := latency("c", clean(chance, 20))
	whole.Throughput = []Throughput{{Threads: 1, SamplesReadsPerSecond: []float64{1, 1}}}
	for name, spoil := range map[string]func(c *Clock){
		"the latency of c": func(c *Clock) { c.Latency = nil },
		"c with 1 thread":  func(c *Clock) { c.Throughput = nil },
	} {
		rest := whole
		spoil(&rest)
		require.Equal(t, []string{name}, between(document(whole), document(rest), usual).Lost)
		require.Empty(t, between(document(rest), document(whole), usual).Lost)
	}
	none := latency("c", nil)
	none.Throughput = whole.Throughput
	require.Equal(t, []string{"the latency of c"}, between(document(whole), document(none), usual).Lost, "a latency without samples")
}

func TestWhatOnlyOneDocumentHas(t *testing.T) {
	gone := Clock{ID: "gone", Reason: "no such file"}
	unread := latency("fresh", nil) // interrupted before its first sample
	d := between(document(latency("both", []float64{1}), latency("gone", []float64{1}), unread), document(latency("both", []float64{1}), gone, latency("fresh", []float64{1})), usual)
	require.Equal(t, []string{"gone"}, d.OnlyOld)
	require.Equal(t, []string{"fresh"}, d.OnlyNew)
}

// A document of another hand may hold what timebench does not write.
func TestSamplesThatHaveNoRatioAreLeftOut(t *testing.T) {
	odd := document(
		latency("zero", []float64{0, 0, 0, 0}), latency("none", nil),
		Clock{ID: "idle", Available: true, Throughput: []Throughput{{Threads: 1, SamplesReadsPerSecond: []float64{0, 0}}}})
	d := between(odd, odd, usual)
	require.Empty(t, d.Changes)
	_, err := json.Marshal(d)
	require.NoError(t, err)
}

// What is slower one way round is faster the other.
func TestVerdictsAreTheSameBothWays(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 10))
	for _, factor := range []float64{1, 1.0199, 1.0201, 1.03, 2, 10, 45} {
		for _, noise := range []float64{0, 0.3, 0.6} {
			old, new := disturbed(chance, 20, noise), disturbed(chance, 20*factor, noise)
			there, back := compareOne(t, old, new), compareOne(t, new, old)
			mirror := map[Verdict]Verdict{Slower: Faster, Faster: Slower, Same: Same, Unsteady: Unsteady}
			require.Equal(t, mirror[there.Verdict], back.Verdict, "× %v under %v", factor, noise)
		}
	}
}

func TestChangesAreWorded(t *testing.T) {
	for change, want := range map[float64]string{0: "0.0 %", -0.0004: "0.0 %", 0.031: "+3.1 %", -0.25: "-25.0 %", 1.5: "+150 %", 20: "× 21", 44.2: "× 45.2", -0.999: "-99.9 %"} {
		require.Equal(t, want, signed(change))
	}
}

// Of a document with many figures each is looked up once. If each were compared with each, this
// would take an hour.
func TestManyFiguresAreCompared(t *testing.T) {
	const clocks, counts = 300, 1024
	many := func(from int) *result.Document {
		var all []Clock
		for i := range clocks {
			c := Clock{ID: "clock" + strconv.Itoa(i), Available: true}
			for threads := range counts {
				c.Throughput = append(c.Throughput, Throughput{Threads: from + threads, SamplesReadsPerSecond: []float64{1e9}})
			}
			all = append(all, c)
		}
		return document(all...)
	}
	d := between(many(1), many(2), usual)
	require.Equal(t, clocks*(counts-1), d.Comparisons)
	require.Len(t, d.Lost, clocks)
	require.Empty(t, d.OnlyOld)
	require.Empty(t, d.OnlyNew)
}

// What is printed and drawn is of one statistic, the one that decides: the change lies within its
// bounds, and the bounds of a verdict are at least the minimum change away from zero.
func requireBounds(t *testing.T, c Change, s section.Settings) {
	t.Helper()
	require.InDelta(t, c.QuietNewNS/c.QuietOldNS-1, c.Quiet, 1e-9)
	low, high := ends(c)
	const rounding = 1e-5
	require.LessOrEqual(t, low, factor(c.Quiet)*(1+rounding))
	require.GreaterOrEqual(t, high, factor(c.Quiet)*(1-rounding))
	switch c.Verdict {
	case Slower:
		require.GreaterOrEqual(t, low*(1+rounding), 1+s.MinChange, "%+v", c)
	case Faster:
		require.LessOrEqual(t, high*(1-rounding), 1/(1+s.MinChange), "%+v", c)
	}
}

func TestBoundsAgreeWithTheVerdict(t *testing.T) {
	chance := rand.New(rand.NewPCG(41, 42))
	seen := map[Verdict]int{}
	for i := range 1000 {
		n, factor, noise := []int{1, 2, 3, 6, 40}[i%5], 0.8+0.4*chance.Float64(), chance.Float64()
		of := func(ns float64) *result.Document {
			c := latency("c", disturbed(chance, ns, noise)[:n])
			if i%2 > 0 {
				c.Latency.QuietSamplesNS = disturbed(chance, ns*0.95, noise*chance.Float64())[:n]
			}
			return document(c)
		}
		c := between(of(20), of(20*factor), usual).Changes[0]
		require.Equal(t, n < 3, c.QuietLow == nil, "%d samples", n)
		requireBounds(t, c, usual)
		seen[c.Verdict]++
	}
	require.Len(t, seen, 5, "all verdicts")
}

// What is only unsteady is no significant difference.
func TestUnsteadyFiguresHaveATableOfTheirOwn(t *testing.T) {
	chance := rand.New(rand.NewPCG(43, 44))
	by := func(threads int, samples []float64) Throughput {
		one := Throughput{Threads: threads}
		for _, sample := range samples {
			one.SamplesReadsPerSecond = append(one.SamplesReadsPerSecond, float64(threads)*1e9/sample)
		}
		return one
	}
	titles := func(of ...Throughput) []string {
		old := Clock{ID: "c", Available: true, Throughput: []Throughput{by(1, clean(chance, 20)), by(2, clean(chance, 20))}}
		c, _ := compared(document(old), document(Clock{ID: "c", Available: true, Throughput: of}), usual)
		var shown []string
		for _, g := range c.Block.Grids {
			if len(g.Rows) > 0 {
				shown = append(shown, g.Title)
			}
			if g.OnPage != nil && strings.Contains(g.Title, "Unsteady") {
				require.Empty(t, g.OnPage.Rows, "a page has them among all")
			}
		}
		return append(shown, c.Block.Verdict)
	}
	unsteady := by(2, disturbed(chance, 20, 0.85))
	got := titles(by(1, clean(chance, 20)), unsteady)
	require.Equal(t, "Unsteady figures by number of threads, in ns/read", got[1])
	require.Contains(t, got[2], "No significant difference in 1 figure.")
	require.Contains(t, got[2], "1 figure is unsteady")
	got = titles(by(1, clean(chance, 40)), unsteady)
	require.Equal(t, []string{"Significant differences by number of threads, in ns/read", "Unsteady figures by number of threads, in ns/read"}, got[1:3])
	require.Contains(t, got[3], "1 of 2 figures differ significantly.")
}
