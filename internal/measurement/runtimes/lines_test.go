package runtimes

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/measurement/compare"
)

func TestParse(t *testing.T) {
	o, err := parse([]byte("warm\ta\t120.5\ncost\ta\t10\t1000\r\ncost\ta\t10\t2000\ncost\tloop\t100\t50\nsink\t-5\nmissing\tb\tno such call\n"+
		"step\ta\t-3.5\nstep\ta\t238.4185791015625\nseen\ta\t100\t7\nthread\ta\t0\t50\nthread\ta\t1\t60\npassed\ta\t1e6\ndone\n"), []string{"loop", "a", "b"})
	require.NoError(t, err)
	require.Equal(t, map[string][]float64{"a": {100, 200}, "loop": {0.5}}, o.costs)
	require.Equal(t, 1_003_050.0, o.elapsedNS)
	require.Equal(t, map[string]float64{"a": 120.5}, o.warmNS)
	require.Equal(t, map[string]string{"b": "no such call"}, o.missing)
	require.Equal(t, []float64{-3.5, 238.4185791015625}, o.steps["a"])
	require.Equal(t, reads{100, 7}, o.seen["a"])
	require.Equal(t, map[int64]int64{0: 50, 1: 60}, o.threads["a"])
	require.Equal(t, 1e6, o.passedNS["a"])
	calls, err := o.counted("a", 2)
	require.NoError(t, err)
	require.Equal(t, []int64{50, 60}, calls)
	for _, threads := range []int{1, 3} {
		_, err = o.counted("a", threads)
		require.Error(t, err)
	}
	calls, err = o.counted("b", 2)
	require.NoError(t, err, "it is missing")
	require.Nil(t, calls)
	require.NoError(t, o.measured([]string{"a", "b"}, 2))
	require.ErrorContains(t, o.measured([]string{"a", "loop"}, 2), "1 samples of loop, not 2")
	require.ErrorContains(t, o.measured([]string{"c"}, 2), "0 samples of c")
}

// A rate that no program reaches is refused, so that the document can be written.
func TestImpossibleCounts(t *testing.T) {
	for calls, possible := range map[string]bool{"50": true, "900000000000000": false, "0": true} {
		o, err := parse([]byte("thread\ta\t0\t"+calls+"\npassed\ta\t100000\ndone\n"), []string{"a"})
		require.NoError(t, err)
		_, err = o.counted("a", 1)
		require.Equal(t, possible, err == nil, "%s: %v", calls, err)
	}
}

// A step that another program delayed is several ticks: one step, or steps of different lengths, show no resolution.
func TestResolutionNeedsThreeTicks(t *testing.T) {
	for name, test := range map[string]struct {
		stepsNS []float64
		want    float64
	}{
		"one":                 {[]float64{188e6}, 0},
		"two":                 {[]float64{4e6, 4e6}, 0},
		"two, and a long one": {[]float64{4e6, 188e6, 4e6}, 0},
		"three":               {[]float64{4e6, 188e6, 4e6, 88e6, 4e6}, 4e6},
		"backwards":           {[]float64{4e6, -4e6, 4e6}, 0},
	} {
		r := resolution(reads{all: 1000, repeats: 900}, test.stepsNS, stepsTime, mostSteps)
		require.Equal(t, test.want, r.TickNS, name)
		if test.want == 0 {
			require.Equal(t, "unknown", compare.Tick(r), name)
		}
	}
}

// How long the values were watched is known only if the benchmark did not end early.
func TestTimeWatched(t *testing.T) {
	require.EqualValues(t, stepsTime, resolution(reads{all: 10}, []float64{4, 6}, stepsTime, 3).WatchedNS)
	require.EqualValues(t, 10, resolution(reads{all: 10}, []float64{4, -5, 6}, stepsTime, 3).WatchedNS)
	require.EqualValues(t, stepsTime, resolution(reads{all: 10}, []float64{4e15, 6}, stepsTime, 2).WatchedNS)
}

// If calls read different clocks, one that enters the kernel counts, whichever it is. If all read the same,
// what else is read is the runtime's own.
func TestKernelEntryOfACallThatReadsDifferentClocks(t *testing.T) {
	spans := func(enters, not int) (all []ptrace.Span) {
		for range enters {
			all = append(all, ptrace.Span{Mark: "now", Reads: []string{"CLOCK_PROCESS_CPUTIME_ID"}})
		}
		for range not {
			all = append(all, ptrace.Span{Mark: "now"})
		}
		return all
	}
	for name, c := range map[string]struct {
		attributed int
		visible    []ptrace.Span
		want       string
	}{
		"different":            {600, spans(80, 120), result.Sometimes},
		"different, all enter": {600, spans(200, 0), result.Always},
		"different, none does": {600, spans(0, 200), result.Never},
		"the runtime's own":    {1000, spans(1, 199), result.Never},
		"not traced":           {1000, nil, result.Unknown},
	} {
		m := MeasuredCall{Call: "now", Reads: []string{"CLOCK_MONOTONIC"}, TracedCalls: 1000, AttributedCalls: c.attributed}
		m.setKernelEntry(c.visible)
		require.Equal(t, c.want, m.KernelEntry, name)
	}
}

func TestValuesThatGoBackAreTold(t *testing.T) {
	r := MeasuredRuntime{Name: "x", Calls: []MeasuredCall{
		{Call: "a", Resolution: &compare.Resolution{TickNS: 1}},
		{Call: "b", Resolution: &compare.Resolution{TickNS: 1, Backwards: 3, WorstBackwardsNS: 50}},
	}}
	require.Equal(t, []string{"x: values went back: b (3 times, at most by 50 ns)."}, r.notes())
}

func TestPreloadedLibrariesAreTold(t *testing.T) {
	s := &Runtimes{Preloaded: []string{"/lib/a.so (/etc/ld.so.preload)", "/lib/b.so (LD_PRELOAD)"}}
	require.Equal(t, []string{
		"/lib/a.so (/etc/ld.so.preload) is preloaded and stands in for the clock: it defines functions that return the time. These figures are with it, except those of static programs.",
		"/lib/b.so (LD_PRELOAD) is preloaded and stands in for the clock: it defines functions that return the time. It was not passed on: these figures are without it, but your own programs run with it.",
	}, s.Block(nil).Notes)
}

func TestParseRefuses(t *testing.T) {
	for _, lines := range []string{
		"", "rubbish", "cost", "cost\ta", "cost\ta\t10", "cost\ta\t10\t1000\t1", "cost\tb\t10\t1000", "cost\ta\t0\t1000", "cost\ta\t-1\t1000",
		"cost\ta\t1.5\t1000", "cost\ta\t10\t0", "cost\ta\t10\t-1", "cost\ta\t10\tNaN", "cost\ta\t10\tInf", "cost\ta\t10\t1e300", "cost\ta\t99999999999999999999\t1",
		"warm\ta\t0", "warm\ta\tNaN", "step\ta\tx", "step\ta\tNaN", "step\ta\t1e300", "seen\ta\t1\t2", "seen\ta\t-1\t-2", "seen\ta\tx\t0", "step\ta\t0", "step\ta\t1e-12",
		"thread\ta\tx\t1", "thread\ta\t0\t-1", "thread\ta\t0\t1\t1", "passed\ta\t0", "passed\ta\tNaN", "missing\tb\tc", "missing\ta\t",
		"cost\ta\t9000000000000000000\t1e-320", "cost\ta\t1000\t1", "cost\ta\t1\t1e11", " done", "done \n",
	} {
		_, err := parse([]byte(lines+"\ndone\n"), []string{"a"})
		if lines == "" {
			require.ErrorContains(t, err, `"\n"`)
			continue
		}
		require.Error(t, err, lines)
		require.NotContains(t, err.Error(), "\n")
		require.NotContains(t, err.Error(), "\t")
	}
	for _, text := range []string{"", "cost\ta\t1\t1\n", "cost\ta\t1\t1\ndon"} {
		_, err := parse([]byte(text), []string{"a"})
		require.Error(t, err, text)
	}
	_, err := parse([]byte("done\nmore\n"), nil)
	require.ErrorContains(t, err, "more")
	_, err = parse([]byte(strings.Repeat("\x1b[31m", 1000)+"\ndone\n"), nil)
	require.Error(t, err)
	require.Less(t, len(err.Error()), 500, "a long line is cut")
	require.NotContains(t, err.Error(), "\x1b")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("cost\ta\t10\t1000\nstep\ta\t-3.5\nseen\ta\t100\t7\nthread\ta\t0\t50\npassed\ta\t1e6\nwarm\ta\t1\nsink\t1\nmissing\ta\tb\ndone\n"))
	f.Add([]byte("done"))
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := parse(text, []string{"a"})
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		if len(o.costs["a"]) > 0 {
			s := subject{levels: o.costs, minima: o.costs, entry: MeasuredRuntime{Calls: []MeasuredCall{{ID: "a@x", Call: "a", Kind: wall}}}}
			if seen, ok := o.seen["a"]; ok {
				s.entry.Calls[0].Resolution = resolution(seen, o.steps["a"], stepsTime, mostSteps)
			}
			if calls, err := o.counted("a", 1); err == nil && calls != nil && slices.Max(calls) > 0 {
				s.entry.Calls[0].Throughput = []compare.Throughput{throughputOf(1, false, []pass{{calls, o.passedNS["a"]}})}
			}
			d := &result.Document{Schema: result.Schema}
			d.Put(&Runtimes{Runtimes: []MeasuredRuntime{s.result()}})
			d.Sections[0].(*Runtimes).Runtimes[0].Name = "x"
			require.NoError(t, d.Write(io.Discard), "whatever is printed, the document can be written")
		}
	})
}
