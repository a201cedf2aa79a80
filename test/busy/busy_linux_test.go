// Package busy runs timebench on a busy machine: beside programs that use all CPU time they get, half of them at a low
// priority, with a CPU quota, and under a real-time policy. Its benchmarks show what docs/evidence/measuring.md says:
//
//	go test ./test/busy -run '^$' -bench . -benchtime 10x -timeout 3h
//
// runs each command ten times, idle and beside 16 and 60 such programs. -bench 'Reader/load=16' selects rows.
package busy

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/readers"
)

// beside runs a benchmark idle and beside load.
func beside(b *testing.B, run func(b *testing.B)) {
	b.Helper()
	for _, programs := range []int{0, 16, 60} {
		b.Run(fmt.Sprintf("load=%d", programs), func(b *testing.B) {
			load(b, programs)
			run(b)
			b.ReportMetric(0, "ns/op") // each benchmark reports its own times
		})
	}
}

// load starts programs that use all CPU time they get, until the test ends. Every second one is niced.
func load(t testing.TB, programs int) {
	t.Helper()
	for i := range programs {
		spin := exec.Command("nice", "-n", []string{"0", "10"}[i%2], "sh", "-c", "while :; do :; done")
		require.NoError(t, spin.Start())
		t.Cleanup(func() {
			_ = spin.Process.Kill()
			_ = spin.Wait()
		})
	}
}

// BenchmarkReader counts how often doctor names a program that spends 30 % of its CPU time on reading the clock.
func BenchmarkReader(b *testing.B) {
	timebench, reader := need.Timebench(b), readers.Build(b, "c")
	beside(b, func(b *testing.B) {
		reading := reader.Start(b, readers.Options{Read: "vdso", Percent: 30, Seconds: 3600})
		reading.Go()
		named, taken := 0, measured.Medians{}
		for b.Loop() {
			began := time.Now()
			out := need.Output(b, exec.Command(timebench, "doctor", "--fail-on", "never"))
			taken.Add("s/run", time.Since(began).Seconds())
			if strings.Contains(string(out), "reader-c") {
				named++
			} else {
				b.Logf("not named:\n%s", out)
			}
		}
		taken.Report(b)
		b.ReportMetric(float64(named), "named")
	})
}

// BenchmarkLatency reports the median of the ratios of timebench's latency and the lowest level of the same loop in C.
func BenchmarkLatency(b *testing.B) {
	timebench := need.Timebench(b)
	loop := need.Compiled(b, "../accuracy/testdata/loop.c", "-O2", "-ldl")
	calls := []string{"CLOCK_MONOTONIC", "CLOCK_REALTIME", "CLOCK_MONOTONIC_COARSE", "gettimeofday"}
	beside(b, func(b *testing.B) {
		ratios := measured.Medians{}
		for b.Loop() {
			clocks := compare.Of(measured.Document(b, timebench, "compare", "@vdso", "--threads", "1")).Clocks
			for _, call := range calls {
				lowest := lowestByC(b, loop, call)
				for _, c := range clocks {
					if c.ID == call+"@vdso" {
						ratios.Add(call+"/C", c.Latency.MedianNS/lowest)
					}
				}
			}
		}
		ratios.Report(b)
	})
}

// lowestByC returns the lowest of ten figures of the C loop, whose turns are short enough for a busy machine.
func lowestByC(t testing.TB, loop, call string) float64 {
	t.Helper()
	var lowest float64
	for i := range 10 {
		out := need.Output(t, exec.Command(loop, "vdso", call, "4000"))
		var figure float64
		_, err := fmt.Sscan(string(out), &figure)
		require.NoError(t, err, string(out))
		if i == 0 || figure < lowest {
			lowest = figure
		}
	}
	return lowest
}

// BenchmarkThreads requires that every clock has all the numbers of threads that the user wrote.
func BenchmarkThreads(b *testing.B) {
	timebench := need.Timebench(b)
	beside(b, func(b *testing.B) {
		taken := measured.Medians{}
		for b.Loop() {
			began := time.Now()
			for _, c := range compare.Of(measured.Document(b, timebench, "compare", "--threads", "1..24")).Clocks {
				if !c.Available {
					continue
				}
				require.Len(b, c.Throughput, 24, c.ID)
				for i, t := range c.Throughput {
					require.Equal(b, i+1, t.Threads, c.ID)
				}
			}
			taken.Add("s/run", time.Since(began).Seconds())
		}
		taken.Report(b)
	})
}
