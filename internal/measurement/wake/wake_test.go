package wake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

// roles are the roles of this test program.
var roles = program.Roles{AwakeRole: KeepAwake}

func TestMain(m *testing.M) {
	program.Main(roles)
	os.Exit(m.Run())
}

// fake returns a way whose sleeps end this much later than their deadline, without sleeping.
func fake(id string, late func() int64) Way {
	return Way{ID: id, Call: id, open: func() (sleeper, error) {
		return sleepFunc(func(int64) (int64, error) { return late(), nil }), nil
	}}
}

func quiet(_, _ time.Duration) {}

func settings() Settings {
	return Settings{Time: 200 * time.Millisecond, Spans: []time.Duration{100 * time.Microsecond, time.Millisecond}}
}

// run measures again, for longer, if other programs left no CPU for the sleeps of some way.
func run(t *testing.T, s Settings, ways ...Way) Wake {
	t.Helper()
	need.Processes(t) // one keeps the CPUs awake
	w, err := Run(t.Context(), ways, s, quiet)
	require.NoError(t, err)
	late := func(way SleepWay) bool {
		return strings.HasPrefix(way.Reason, "the time limit ended the run") || way.Available && len(way.Spans) < len(s.Spans)
	}
	if s.Time < time.Minute && slices.ContainsFunc(w.Ways, late) {
		s.Time *= 4
		return run(t, s, ways...)
	}
	return w
}

func TestPlantedLateness(t *testing.T) {
	sleeps := int64(0)
	w := run(t, settings(), fake("late@fake", func() int64 { sleeps++; return 50_000 + sleeps*7919%1000 }))
	require.Len(t, w.Ways, 1)
	require.True(t, w.Ways[0].Available)
	require.Len(t, w.Ways[0].Spans, 2)
	for _, s := range w.Ways[0].Spans {
		require.Zero(t, s.Early)
		assert.InDelta(t, 50_500, s.MinLateNS, 500)
		assert.InDelta(t, 50_500, s.MaxLateNS, 500)
		assert.GreaterOrEqual(t, s.MedianLateNS, s.MinLateNS)
		assert.LessOrEqual(t, s.MedianLateNS, s.MaxLateNS)
		assert.Equal(t, s.Samples >= leastForP99, s.P99LateNS != 0)
		assert.LessOrEqual(t, len(s.PartMediansNS), mostParts)
		assert.NotEmpty(t, s.PartMediansNS)
	}
}

// Beside busy programs, a short sleep between longer sleeps ends milliseconds later. So sleeps of one length follow
// each other, and ways that round have separate turns.
func TestShortSleepsStandTogether(t *testing.T) {
	var turns []string
	recorded := func(id string) Way {
		return Way{ID: id, open: func() (sleeper, error) {
			return sleepFunc(func(span int64) (int64, error) {
				turns = append(turns, fmt.Sprint(strings.Trim(id, "12"), span >= int64(time.Millisecond)))
				return 1000, nil
			}), nil
		}}
	}
	ways := []Way{recorded("ns1"), recorded("ns2"), recorded("ms1"), recorded("ms2")}
	ways[2].twin, ways[3].twin, ways[2].twinLayer, ways[3].twinLayer = "ns1", "ns2", Rounding, Rounding
	s := settings()
	s.Time = time.Second
	run(t, s, ways...)
	together := len(turns) / len(slices.Compact(slices.Clone(turns)))
	require.Greater(t, together, 10, "sleeps of one kind in a row")
}

// A way that ends a sleep before its deadline is a fault, which the report names with its number.
func TestEarlyWayIsNamed(t *testing.T) {
	sleeps := 0
	w := run(t, settings(), fake("early@fake", func() int64 {
		if sleeps++; sleeps%3 == 0 {
			return -300_000
		}
		return 70_000
	}), fake("late@fake", func() int64 { return 70_000 }))
	early, late := w.Ways[0].Spans[0], w.Ways[1].Spans[0]
	require.InDelta(t, early.Samples/3, early.Early, 1+float64(early.Samples)/10)
	require.Equal(t, -300e3, early.MinLateNS)
	require.Zero(t, late.Early)
	block := w.Block(new(result.Document))
	require.Len(t, block.Faults, 2, "of each span")
	require.Regexp(t, `^early@fake ends early: [\d,]+ of [\d,]+ sleeps of 100 µs, by up to 300 µs\.$`, block.Faults[0])
	require.Equal(t, table.Error, block.Level)
	require.NotContains(t, block.Verdict, "use early@fake")

	changed := EarlyDifferences([]SleepWay{{ID: "early@fake", Spans: w.Ways[1].Spans}}, w.Ways)
	require.Equal(t, section.Difference{What: "early@fake, 100 µs ends early", Old: "no", New: "yes"}, changed[0])
}

// Rounding is the difference to the twin, and the layers add up to the median.
func TestPlantedRounding(t *testing.T) {
	rounds := fake("ms@fake", func() int64 { return 960_000 })
	rounds.twin, rounds.twinLayer = "ns@fake", Rounding
	w := run(t, settings(), fake("ns@fake", func() int64 { return 70_000 }), rounds)
	require.Equal(t, []SleepLayer{{Rounding, 890_000}, {TheRest, 70_000}}, w.Ways[1].Spans[0].Layers)
	require.Equal(t, "A sleep of 100 µs ends 70 µs late (ns@fake).", w.verdict())
	w.Timers.ResolutionNS = 4e6
	require.Equal(t, "A sleep of 100 µs ends 70 µs late: without high-resolution timers it ends at a tick, every 4 ms (ns@fake).",
		w.verdict())
	require.Contains(t, w.Timers.lines(), table.Fact{Name: "Timer resolution", Value: "4 ms, a tick: no high-resolution timers"})
}

// A difference that noise hides is blamed on no other cause.
func TestHiddenDifferenceIsNoOtherLayer(t *testing.T) {
	ns, ms := Way{ID: "ns@fake"}, Way{ID: "ms@fake", twin: "ns@fake", twinLayer: Rounding}
	r := &runner{ways: []Way{ns, ms}, late: map[place]*lateness{}}
	plant := func(way int, step step, late func(i int) int64) {
		p := place{way, 0, step}
		if r.late[p] == nil {
			r.late[p] = &lateness{kept: make([][]float64, 1)}
		}
		for i := range 33 {
			r.late[p].add(0, late(i))
		}
	}
	plant(0, asIs, func(i int) int64 { return 80_000 + int64(i%3)*1_000_000 })
	plant(0, tight, func(int) int64 { return 38_000 })
	plant(1, asIs, func(i int) int64 { return 100_000 + int64(i)*50_000 })
	require.Empty(t, r.layers(1, 0))
	plant(0, asIs, func(int) int64 { return 80_000 })
	plant(0, asIs, func(int) int64 { return 80_000 })
	require.Equal(t, []SleepLayer{{Rounding, 820_000}, {TimerSlack, 42_000}, {TheRest, 38_000}}, r.layers(1, 0))
	r.slackNS = 41_500
	require.Equal(t, []SleepLayer{{Rounding, 820_000}, {TimerSlack, 41_500}, {TheRest, 38_500}}, r.layers(1, 0),
		"another idle state adds half a microsecond, which is no slack")
	r.slackNS = 30_000
	require.Empty(t, r.layers(1, 0), "a slack of 30 µs delays by no more")
	noise := func(i int) int64 { return 70_000 + int64(i)*7919%20_000 }
	r.late = map[place]*lateness{}
	plant(0, asIs, noise)
	plant(1, asIs, func(i int) int64 { return noise(i) + 1000 })
	require.NotContains(t, fmt.Sprint(r.layers(1, 0)), Rounding, "a difference within the intervals")
}

func TestWayThatIsRefused(t *testing.T) {
	refused := Way{ID: "refused@fake", open: func() (sleeper, error) { return nil, errors.New("setup(2): not permitted") }}
	missing := Way{ID: "missing@fake", open: func() (sleeper, error) {
		return sleepFunc(func(int64) (int64, error) { return 0, syscall.ENOSYS }), nil
	}}
	signalled := Way{ID: "signalled@fake", open: func() (sleeper, error) {
		turn := 0
		return sleepFunc(func(int64) (int64, error) {
			if turn++; turn%2 == 0 {
				return -50_000, syscall.EINTR
			}
			return 1000, nil
		}), nil
	}}
	w := run(t, settings(), refused, missing, signalled)
	require.Equal(t, "setup(2): not permitted", w.Ways[0].Reason)
	require.Equal(t, "the kernel or CPU has no such system call, or a sandbox refuses it", w.Ways[1].Reason)
	require.False(t, w.Ways[0].Available || w.Ways[1].Available)
	require.Zero(t, w.Ways[2].Spans[0].Early, "a signal is not the way's fault")
	require.Equal(t, 1000.0, w.Ways[2].Spans[0].MinLateNS)
	require.Len(t, w.Lines(nil), 1+2+2)
	long := settings()
	long.Time = time.Hour
	require.Equal(t, "setup(2): not permitted", run(t, long, refused, missing).Ways[0].Reason, "nothing is left to measure")
}

// An interrupted run reports what is complete.
func TestInterruptedRun(t *testing.T) {
	need.Processes(t)
	ctx, cancel := context.WithCancel(t.Context())
	sleeps := 0
	w, err := Run(ctx, []Way{fake("late@fake", func() int64 {
		if sleeps++; sleeps == 5 {
			cancel()
		}
		return 1000
	})}, Settings{Time: time.Hour, Spans: []time.Duration{time.Millisecond}}, quiet)
	require.NoError(t, err)
	require.Positive(t, w.Ways[0].Spans[0].Samples)
	cancel()
	w, err = Run(ctx, []Way{fake("late@fake", func() int64 { return 1000 })}, settings(), quiet)
	require.NoError(t, err)
	require.Equal(t, "interrupted before it slept", w.Ways[0].Reason)
	require.Equal(t, "No way to sleep could be measured.", w.verdict())
}

// Every way of this system sleeps, or says why not, and none ends early, if the thread is free or pinned.
func TestWaysOfThisSystem(t *testing.T) {
	w := run(t, Settings{Time: time.Second, Spans: []time.Duration{time.Millisecond}}, Ways()...)
	require.Len(t, w.Ways, len(Ways()))
	for _, way := range w.Ways {
		t.Log(way.ID, way.Reason)
		require.NotEqual(t, way.Available, way.Reason != "", way.ID)
		if way.Available && strings.HasSuffix(way.ID, "@syscall") {
			require.Zero(t, way.Spans[0].Early, way.ID)
		}
	}
	require.True(t, w.Ways[0].Available, w.Ways[0].Reason)
}

// The first line names the way to use, if it is clearly less late than the first way, and never early.
func TestWhichWayToUse(t *testing.T) {
	way := func(id string, lateNS float64, early int) SleepWay {
		return SleepWay{ID: id, Available: true, Spans: []SleepSpan{{SpanNS: 100_000, Samples: 100, Early: early, MedianLateNS: lateNS,
			MinLateNS: lateNS, MaxLateNS: lateNS, LowNS: lateNS - 1000, HighNS: lateNS + 1000}}}
	}
	for _, c := range []struct {
		want string
		ways []SleepWay
	}{
		{" For 100 µs use timerfd@syscall: 20 µs late.", []SleepWay{way("nanosleep@syscall", 70_000, 0),
			way("io_uring@syscall", 19_000, 0), way("timerfd@syscall", 20_000, 0), way("futex@syscall", 5000, 1)}},
		{" For 100 µs use io_uring@syscall: 10 µs late.", []SleepWay{way("nanosleep@syscall", 70_000, 0),
			way("io_uring@syscall", 10_000, 0), way("timerfd@syscall", 20_000, 0)}},
		{" For 100 µs use timerfd@syscall: 71 µs late.", []SleepWay{way("nanosleep@syscall", 70_000, 3), way("timerfd@syscall", 71_000, 0)}},
		{"", []SleepWay{way("nanosleep@syscall", 70_000, 0), way("timerfd@syscall", 69_000, 0)}},
		{"", []SleepWay{way("nanosleep@syscall", 70_000, 2)}},
	} {
		w := Wake{Ways: c.ways}
		require.Equal(t, c.want, w.choice(&c.ways[0].Spans[0]))
		require.Contains(t, w.verdict(), "(nanosleep@syscall)."+c.want)
	}
}

// The median of five sleeps is no answer, and a way with five sleeps is not the way to use.
func TestTooFewSleepsAreNoAnswer(t *testing.T) {
	way := func(id string, samples int, lateNS float64) SleepWay {
		late := slices.Repeat([]float64{lateNS}, samples)
		return SleepWay{ID: id, Available: true, Spans: []SleepSpan{NewSpan(100*time.Microsecond, [][]float64{late})}}
	}
	few, enough := way("timerfd@syscall", 5, 20_000), way("nanosleep@syscall", 6, 70_000)
	require.Equal(t, "Too few sleeps of 100 µs to tell how late they end (5 of timerfd@syscall); use a longer --duration.",
		(&Wake{Ways: []SleepWay{few, enough}}).verdict())
	require.Equal(t, "A sleep of 100 µs ends 70 µs late (nanosleep@syscall).",
		(&Wake{Ways: []SleepWay{enough, few}}).verdict())
}

func TestSelect(t *testing.T) {
	first := Ways()[0].ID
	call, _, _ := strings.Cut(first, "@")
	for _, name := range []string{first, strings.ToUpper(first), call} {
		ways, err := Select([]string{name})
		require.NoError(t, err)
		require.Equal(t, first, ways[0].ID)
	}
	ways, err := Select([]string{"@go", call})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(ways), 2)
	_, err = Select([]string{"nap"})
	require.ErrorContains(t, err, `unknown way "nap"; `)
	for _, w := range Ways() {
		of, err := Select([]string{w.ID})
		require.NoError(t, err)
		if slices.Contains(IDs(), w.twin) { // time.Sleep has one on Linux
			require.NotEmpty(t, w.twinLayer, w.ID)
			require.True(t, slices.ContainsFunc(of, func(twin Way) bool { return twin.ID == w.twin }), w.ID)
		}
	}
}

func TestParseSpans(t *testing.T) {
	spans, err := ParseSpans("1s,100us,1ms")
	require.NoError(t, err)
	require.Equal(t, []time.Duration{100 * time.Microsecond, time.Millisecond, time.Second}, spans)
	for list, want := range map[string]string{
		"":           `"" is not a time; write a list such as 100us,1ms`,
		"1ms,":       `"" is not a time`,
		"100":        `"100" is not a time`,
		"1ms 2ms":    "is not a time",
		"-1ms":       "-1ms is not from 1us to 1s",
		"999ns":      "999ns is not from 1us to 1s",
		"1001ms":     "1001ms is not from 1us to 1s",
		"1ms,1000us": "1000us is listed twice",
		"1ms,2ms,3ms,4ms,5ms,6ms,7ms,8ms,9ms,10ms,11ms": "more than 10 times",
	} {
		_, err := ParseSpans(list)
		require.ErrorContains(t, err, want, list)
	}
}

// A long run keeps a bounded number of wake-ups, in order, from all its time and of each thread, so that no CPU is
// named the worst for the noise of a few sleeps; and the extremes of all.
func TestLatenessIsBounded(t *testing.T) {
	for _, threads := range []int{2, 256} {
		l, bound := lateness{kept: make([][]float64, threads)}, max(mostKept, keptPerThread*threads)
		for i := range 10 * bound {
			l.add(i%threads, int64(i))
		}
		require.Less(t, len(slices.Concat(l.kept...)), bound)
		for _, late := range l.kept {
			require.IsIncreasing(t, late, "the parts of a run are in order")
			require.InDelta(t, 5*bound, stats.Median(late), 1.5*float64(bound)) // 6 standard deviations
		}
		require.Equal(t, 10*bound, l.all)
		require.Zero(t, l.min)
		require.EqualValues(t, 10*bound-1, l.max)
	}
}

// No part of a measurement is a single late sleep: diff judges by their medians.
func TestParts(t *testing.T) {
	var late []float64
	for n := 1; n < 1000; n++ {
		late = append(late, float64(n))
		all := parts(late)
		require.LessOrEqual(t, len(all), mostParts)
		require.Equal(t, late, slices.Concat(all...))
		for _, part := range all {
			require.GreaterOrEqual(t, len(part), min(n, partOf), n)
		}
		for _, part := range parts(make([]float64, n), late[:1], nil) { // as of CPUs that had less time
			require.GreaterOrEqual(t, len(part), min(n, partOf), n)
		}
	}
}

// Several runs are joined: the median run stands for all, with the sleeps and extremes of all.
func TestJoin(t *testing.T) {
	run := func(median float64, parts ...float64) *Wake {
		return &Wake{DurationNS: 1e9, Ways: []SleepWay{{ID: "w", Available: true, Spans: []SleepSpan{{SpanNS: 1000, Samples: 10,
			Early: 1, MedianLateNS: median, MinLateNS: -median, MaxLateNS: 2 * median, PartMediansNS: parts}}}}}
	}
	joined := Join([]*Wake{run(3, 3, 3), run(1, 1), run(2, 2, 2, 2)})
	s := joined.Ways[0].Spans[0]
	require.Equal(t, SleepSpan{SpanNS: 1000, Samples: 30, Early: 3, MedianLateNS: 2, MinLateNS: -3, MaxLateNS: 6,
		PartMediansNS: []float64{3, 3, 1, 2, 2, 2}, Runs: []int{2, 1, 3}}, s)
	again := Join([]*Wake{joined, run(9, 9)})
	require.Equal(t, []int{2, 1, 3, 1}, again.Ways[0].Spans[0].Runs)
	alone := run(3, 3, 3)
	require.Equal(t, alone, Join([]*Wake{alone}))
}

// Figures that contradict each other are no result of a run, and could stop a command that trusts them.
func TestImpossibleDocuments(t *testing.T) {
	w := run(t, settings(), fake("late@fake", func() int64 { return 5000 }))
	check := func(change func(*Wake, *SleepSpan)) error {
		planted := w
		planted.Ways = slices.Clone(w.Ways)
		planted.Ways[0].Spans = slices.Clone(w.Ways[0].Spans)
		change(&planted, &planted.Ways[0].Spans[0])
		d := &result.Document{Schema: result.Schema}
		d.Put(&planted)
		return d.Write(io.Discard)
	}
	require.NoError(t, check(func(*Wake, *SleepSpan) {}))
	require.NoError(t, check(func(_ *Wake, s *SleepSpan) { // all early, and no percentile
		s.MinLateNS, s.MedianLateNS, s.LowNS, s.HighNS, s.P99LateNS, s.MaxLateNS = -9, -5, 0, 0, 0, -3
	}))
	for name, change := range map[string]func(*Wake, *SleepSpan){
		"min":  func(_ *Wake, s *SleepSpan) { s.MinLateNS = 6000 },
		"max":  func(_ *Wake, s *SleepSpan) { s.MaxLateNS = 4000 },
		"p99":  func(_ *Wake, s *SleepSpan) { s.P99LateNS = 6000 },
		"runs": func(_ *Wake, s *SleepSpan) { s.Runs = []int{len(s.PartMediansNS) + 1} },
		"spans": func(w *Wake, s *SleepSpan) {
			for i := range result.MostNamed {
				more := *s
				more.SpanNS += int64(i) + 1
				w.Ways[0].Spans = append(w.Ways[0].Spans, more)
			}
		},
	} {
		require.ErrorContains(t, check(change), "wake.ways", name)
	}
}

func FuzzParseSpans(f *testing.F) {
	for _, list := range []string{"100us,1ms,10ms", "", ",", "1h", "1us,1us", "9999999999999999999s"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		spans, err := ParseSpans(list)
		require.NotEqual(t, err == nil, spans == nil)
		for _, span := range spans {
			require.True(t, span >= LeastSpan && span <= MostSpan)
		}
		require.LessOrEqual(t, len(spans), mostSpans)
	})
}
