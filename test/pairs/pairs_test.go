// Package pairs measures how accurate the verdicts of `timebench diff` are on a machine: how
// many pairs of runs of the same clock differ (none should), and how often it detects a clock
// that was made 3 % slower.
//
//	go test ./test/pairs -run '^$' -bench PairsOfOneClock -benchtime 200x -timeout 2h
//
// runs 200 pairs for each of several clocks, and as many runs of a slower one. Every run is a
// process of its own, with the settings of `timebench compare`.
//
// With TIMEBENCH_PAIRS=FOLDER the documents are kept in that folder, for the ablation of the
// rules of the verdict (docs/diff.md):
//
//	TIMEBENCH_PAIRS=FOLDER go test ./internal/compare -run '^$' -bench Ablation
package pairs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/sections"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/test/need"
)

// slowClock names, in the environment of this same program, the clock that it
// measures with the extra cost.
const slowClock = "TIMEBENCH_SLOW_CLOCK"

// extra is the known extra cost: three reads more in a hundred.
const extra = 0.03

// A slowed Reader makes 3 % more reads than it is asked for. It makes what is left of a read the
// next time.
type slowed struct {
	clock.Reader
	owed float64
}

func (s *slowed) Spin(n int) {
	s.owed += float64(n) * extra
	whole := int(s.owed)
	s.owed -= float64(whole)
	s.Reader.Spin(n + whole)
}

func TestMain(m *testing.M) {
	if id := os.Getenv(slowClock); id != "" {
		if err := measureSlow(id); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// measureSlow writes the document of the slowed clock, with the settings of the
// document on standard input.
func measureSlow(id string) error {
	like, err := sections.Read(os.Stdin)
	if err != nil {
		return err
	}
	clocks, err := clock.Select(clock.Catalog(), []string{id})
	if err != nil {
		return err
	}
	open := clocks[0].Open
	clocks[0].Open = func() (clock.Reader, error) {
		reader, err := open()
		return &slowed{Reader: reader}, err
	}
	measured, err := measure.Run(context.Background(), clocks, measure.Settings{
		Threads: like.Settings.Threads, Rounds: like.Settings.Rounds, Time: time.Duration(like.Settings.TimeNS), CPUs: len(thread.Usable()),
	}, nil)
	if err != nil {
		return err
	}
	return (&result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC(), Tool: like.Tool, Host: like.Host, Settings: like.Settings,
		Sections: []result.Section{&compare.Costs{FloorNS: measured.FloorNS, Conditions: &measured.Conditions, Clocks: measured.Clocks}},
	}).Write(os.Stdout)
}

// measured is a run of the real program.
func measured(tb testing.TB, timebench string, clocks ...string) *result.Document {
	tb.Helper()
	out, err := exec.Command(timebench, append([]string{"compare", "--format", "json"}, clocks...)...).Output()
	require.NoError(tb, err)
	document, err := sections.Read(bytes.NewReader(out))
	require.NoError(tb, err)
	return document
}

// slower returns the document of a run of the slowed clock.
func slower(tb testing.TB, id string, like *result.Document) *result.Document {
	tb.Helper()
	var settings bytes.Buffer
	require.NoError(tb, like.Write(&settings))
	program, err := os.Executable()
	require.NoError(tb, err)
	command := exec.Command(program)
	command.Env = append(os.Environ(), slowClock+"="+id)
	command.Stdin = &settings
	out, err := command.Output()
	require.NoError(tb, err)
	document, err := sections.Read(bytes.NewReader(out))
	require.NoError(tb, err)
	return document
}

// differing are the figures of a pair that have a verdict of slower or faster.
func differing(old, new *result.Document) []compare.Change {
	compared := diff.Compare(diff.Read("old", old), diff.Read("new", new), section.Settings{Alpha: 0.05, MinChange: 0.02})
	return slices.DeleteFunc(compared.Costs().Changes, func(c compare.Change) bool { return c.Verdict != compare.Slower && c.Verdict != compare.Faster })
}

// logged is how many figures differ, which it logs.
func logged(tb testing.TB, different []compare.Change) int {
	for _, c := range different {
		tb.Logf("%s differs: %+.2f %% quiet, p %.2g", c.Figure(), 100*c.Quiet, c.P)
	}
	return len(different)
}

// found returns whether the latency of the slowed clock is slower.
func found(changes []compare.Change) bool {
	return slices.ContainsFunc(changes, func(c compare.Change) bool { return c.Threads == 0 && c.Verdict == compare.Slower })
}

// BenchmarkPairsOfOneClock reports which share of the pairs of one clock shows any
// difference, and in which share the slowed clock is found.
func BenchmarkPairsOfOneClock(b *testing.B) {
	timebench := need.Timebench(b)
	for _, id := range []string{"CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC@syscall", "time.Now@go"} {
		b.Run(id, func(b *testing.B) {
			pairs, differ, slowFound := 0, 0, 0
			for b.Loop() {
				old := measured(b, timebench, id)
				if !compare.Of(old).Clocks[0].Available {
					b.Skip(compare.Of(old).Clocks[0].Reason)
				}
				new, slow := measured(b, timebench, id), slower(b, id, old)
				pairs++
				differ += min(1, logged(b, differing(old, new)))
				if found(differing(old, slow)) {
					slowFound++
				}
				keep(b, fmt.Sprintf("%s-%d", id, time.Now().UnixNano()), map[string]*result.Document{"old": old, "new": new, "slow": slow})
			}
			b.ReportMetric(0, "ns/op") // the length of a pair says nothing
			b.ReportMetric(100*float64(differ)/float64(pairs), "%-of-pairs-differ")
			b.ReportMetric(100*float64(slowFound)/float64(pairs), "%-of-slow-found")
		})
	}
}

// keep writes the documents of a pair to the folder that TIMEBENCH_PAIRS names, if it does.
func keep(tb testing.TB, name string, documents map[string]*result.Document) {
	folder := os.Getenv("TIMEBENCH_PAIRS")
	if folder == "" {
		return
	}
	for which, d := range documents {
		var content bytes.Buffer
		require.NoError(tb, d.Write(&content))
		require.NoError(tb, os.WriteFile(filepath.Join(folder, name+"-"+which+".json"), content.Bytes(), 0o600))
	}
}

// BenchmarkPairsOfAllClocks reports the same of whole default runs: which share of
// the pairs shows any difference in any figure of any clock; and of all latencies, in
// which share the clock is found whose samples alone are made 3 % slower afterwards.
func BenchmarkPairsOfAllClocks(b *testing.B) {
	timebench := need.Timebench(b)
	pairs, differ, figures, planted, slowFound := 0, 0, 0, 0, 0
	missed := map[string]int{}
	for b.Loop() {
		old, new := measured(b, timebench), measured(b, timebench)
		n := logged(b, differing(old, new))
		pairs++
		differ += min(1, n)
		figures += n
		for i, c := range compare.Of(new).Clocks {
			if c.Latency == nil {
				continue
			}
			plain := *c.Latency
			slow := plain
			slow.SamplesNS, slow.QuietSamplesNS = slowSamples(plain.SamplesNS), slowSamples(plain.QuietSamplesNS)
			compare.Into(new).Clocks[i].Latency = &slow
			planted++
			if slices.ContainsFunc(differing(old, new), func(d compare.Change) bool { return d.Clock == c.ID && d.Threads == 0 && d.Verdict == compare.Slower }) {
				slowFound++
			} else {
				missed[c.ID]++
			}
			compare.Into(new).Clocks[i].Latency = &plain
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*float64(differ)/float64(pairs), "%-of-pairs-differ")
	b.ReportMetric(float64(figures)/float64(pairs), "figures-a-pair")
	b.ReportMetric(100*float64(slowFound)/float64(planted), "%-of-slow-found")
	b.Logf("of %d pairs, missed: %v", pairs, missed)
}

func slowSamples(plain []float64) []float64 {
	slow := slices.Clone(plain)
	for i := range slow {
		slow[i] *= 1 + extra
	}
	return slow
}

// The slowed Reader is as much slower as it claims, whatever the machine does meanwhile.
func TestSlowedReaderMakesThreeReadsMoreInAHundred(t *testing.T) {
	var counted counter
	s := &slowed{Reader: &counted}
	for range 1000 {
		s.Spin(80)
	}
	require.InDelta(t, 82_400, int(counted), 1)
}

type counter int

func (c *counter) Spin(n int) { *c += counter(n) }

func (c *counter) Read([]int64) {}
