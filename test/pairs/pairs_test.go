// Package pairs is the experiment that shows what the verdicts of `timebench diff`
// are worth on a machine: how many pairs of runs of the same clock it calls
// different (none would be right), and how many times it finds a clock that was
// made 3 % dearer.
//
//	go test ./test/pairs -run '^$' -bench PairsOfOneClock -benchtime 200x -timeout 2h
//
// makes 200 pairs for each of several clocks, and as many runs of a dearer one.
// Every run is a process of its own, with the settings of `timebench compare`.
//
// With TIMEBENCH_PAIRS=FOLDER the documents are left in that folder, for the ablation of the
// rules of the verdict (docs/diff.md):
//
//	TIMEBENCH_PAIRS=FOLDER go test ./internal/diff -run '^$' -bench Ablation
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
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/test/need"
)

// dearClock names, in the environment of this same program, the clock that it
// measures with the extra cost.
const dearClock = "TIMEBENCH_DEAR_CLOCK"

// extra is the known extra cost: three reads more in a hundred.
const extra = 0.03

// A dear Reader makes 3 % more reads than it is asked for; what is left of a read
// is made the next time.
type dear struct {
	clock.Reader
	owed float64
}

func (d *dear) Spin(n int) {
	d.owed += float64(n) * extra
	whole := int(d.owed)
	d.owed -= float64(whole)
	d.Reader.Spin(n + whole)
}

func TestMain(m *testing.M) {
	if id := os.Getenv(dearClock); id != "" {
		if err := measureDear(id); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// measureDear writes the document of the dear clock, under the settings of the
// document on standard input.
func measureDear(id string) error {
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
		return &dear{Reader: reader}, err
	}
	measured, err := measure.Run(context.Background(), clocks, measure.Settings{
		Threads: like.Settings.Threads, Rounds: like.Settings.Rounds, Time: time.Duration(like.Settings.TimeNS), CPUs: len(thread.Usable()),
	}, nil)
	if err != nil {
		return err
	}
	return (&result.Document{
		Schema: result.Schema, GeneratedAt: time.Now().UTC(), Tool: like.Tool, Host: like.Host, Settings: like.Settings,
		FloorNS: measured.FloorNS, Conditions: &measured.Conditions, Clocks: measured.Clocks,
	}).Write(os.Stdout)
}

// compare is a run of the real program.
func compare(tb testing.TB, timebench string, clocks ...string) *result.Document {
	tb.Helper()
	out, err := exec.Command(timebench, append([]string{"compare", "--format", "json"}, clocks...)...).Output()
	require.NoError(tb, err)
	document, err := sections.Read(bytes.NewReader(out))
	require.NoError(tb, err)
	return document
}

// dearer is a run of the dear clock.
func dearer(tb testing.TB, id string, like *result.Document) *result.Document {
	tb.Helper()
	var settings bytes.Buffer
	require.NoError(tb, like.Write(&settings))
	program, err := os.Executable()
	require.NoError(tb, err)
	command := exec.Command(program)
	command.Env = append(os.Environ(), dearClock+"="+id)
	command.Stdin = &settings
	out, err := command.Output()
	require.NoError(tb, err)
	document, err := sections.Read(bytes.NewReader(out))
	require.NoError(tb, err)
	return document
}

// differing are the figures of a pair that have a verdict of slower or faster.
func differing(old, new *result.Document) []diff.Change {
	all := diff.Compare(diff.Read("old", old), diff.Read("new", new), diff.Settings{Alpha: 0.05, Least: 0.02}).Changes
	return slices.DeleteFunc(all, func(c diff.Change) bool { return c.Verdict != diff.Slower && c.Verdict != diff.Faster })
}

// logged is how many figures differ, which it logs.
func logged(tb testing.TB, different []diff.Change) int {
	for _, c := range different {
		tb.Logf("%s differs: %+.2f %% quiet, p %.2g", c.Figure(), 100*c.Quiet, c.P)
	}
	return len(different)
}

// found says that the latency of the dear clock is slower.
func found(changes []diff.Change) bool {
	return slices.ContainsFunc(changes, func(c diff.Change) bool { return c.Threads == 0 && c.Verdict == diff.Slower })
}

// BenchmarkPairsOfOneClock reports which share of the pairs of one clock shows any
// difference, and in which share the dear clock is found.
func BenchmarkPairsOfOneClock(b *testing.B) {
	timebench := need.Timebench(b)
	for _, id := range []string{"CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC@syscall", "time.Now@go"} {
		b.Run(id, func(b *testing.B) {
			pairs, differ, dearFound := 0, 0, 0
			for b.Loop() {
				old := compare(b, timebench, id)
				if !old.Clocks[0].Available {
					b.Skip(old.Clocks[0].Reason)
				}
				new, slow := compare(b, timebench, id), dearer(b, id, old)
				pairs++
				differ += min(1, logged(b, differing(old, new)))
				if found(differing(old, slow)) {
					dearFound++
				}
				keep(b, fmt.Sprintf("%s-%d", id, time.Now().UnixNano()), map[string]*result.Document{"old": old, "new": new, "slow": slow})
			}
			b.ReportMetric(0, "ns/op") // the length of a pair says nothing
			b.ReportMetric(100*float64(differ)/float64(pairs), "%-of-pairs-differ")
			b.ReportMetric(100*float64(dearFound)/float64(pairs), "%-of-dear-found")
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
// which share the clock is found whose samples alone are made 3 % dearer afterwards.
func BenchmarkPairsOfAllClocks(b *testing.B) {
	timebench := need.Timebench(b)
	pairs, differ, figures, planted, dearFound := 0, 0, 0, 0, 0
	missed := map[string]int{}
	for b.Loop() {
		old, new := compare(b, timebench), compare(b, timebench)
		n := logged(b, differing(old, new))
		pairs++
		differ += min(1, n)
		figures += n
		for i, c := range new.Clocks {
			if c.Latency == nil {
				continue
			}
			plain := *c.Latency
			dear := plain
			dear.SamplesNS, dear.QuietSamplesNS = dearSamples(plain.SamplesNS), dearSamples(plain.QuietSamplesNS)
			new.Clocks[i].Latency = &dear
			planted++
			if slices.ContainsFunc(differing(old, new), func(d diff.Change) bool { return d.Clock == c.ID && d.Threads == 0 && d.Verdict == diff.Slower }) {
				dearFound++
			} else {
				missed[c.ID]++
			}
			new.Clocks[i].Latency = &plain
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*float64(differ)/float64(pairs), "%-of-pairs-differ")
	b.ReportMetric(float64(figures)/float64(pairs), "figures-a-pair")
	b.ReportMetric(100*float64(dearFound)/float64(planted), "%-of-dear-found")
	b.Logf("of %d pairs, missed: %v", pairs, missed)
}

func dearSamples(plain []float64) []float64 {
	dear := slices.Clone(plain)
	for i := range dear {
		dear[i] *= 1 + extra
	}
	return dear
}

// The dear Reader is dear by what it says, whatever the machine does meanwhile.
func TestDearReaderMakesThreeReadsMoreInAHundred(t *testing.T) {
	var counted counter
	d := &dear{Reader: &counted}
	for range 1000 {
		d.Spin(80)
	}
	require.InDelta(t, 82_400, int(counted), 1)
}

type counter int

func (c *counter) Spin(n int) { *c += counter(n) }

func (c *counter) Read([]int64) {}
