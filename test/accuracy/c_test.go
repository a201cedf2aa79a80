// Package accuracy compares timebench with independent instruments: C programs in testdata that read the same clocks,
// PostgreSQL's pg_test_timing, strace, which counts system calls, and the verdicts of diff on many runs. The tests
// compare drift, skew and system calls; benchmarks compare the latency:
//
//	go test ./test/accuracy -run '^$' -bench AgainstC -benchtime 15x
//
// runs the loop and timebench in turn, fifteen times for each clock, and prints the medians
// of both and of the ratios of the pairs.
package accuracy

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
)

// compiled builds the C program of that name.
func compiled(t testing.TB, name string) string {
	t.Helper()
	return need.Compiled(t, "testdata/"+name+".c", "-O2", "-ldl")
}

// byC is the figure that a C program prints.
func byC(t testing.TB, program string, args ...string) float64 {
	t.Helper()
	out := need.Output(t, exec.Command(program, args...))
	figure, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	require.NoError(t, err)
	return figure
}

// byTimebench returns timebench's median latency of a clock, and of an empty call.
func byTimebench(t testing.TB, timebench, id string) (median, floor float64) {
	t.Helper()
	costs := compare.Of(measured.Document(t, timebench, "compare", id, "--threads", "1", "--throughput-time", "1ms",
		"--rounds", "15"))
	return costs.Clocks[0].Latency.MedianNS, costs.FloorNS
}

// checked returns the clocks of this machine that C can read too.
func checked(t testing.TB, loop string) []clock.Clock {
	t.Helper()
	var all []clock.Clock
	for _, c := range clock.Catalog() {
		if c.Path != clock.VDSO && c.Path != clock.Syscall && c.Path != clock.CPU {
			continue
		}
		if _, err := c.Open(); err != nil {
			continue
		}
		call, path, _ := strings.Cut(c.ID, "@")
		if exec.Command(loop, path, call).Run() == nil {
			all = append(all, c)
		}
	}
	return all
}

func BenchmarkAgainstC(b *testing.B) {
	loop, timebench := compiled(b, "loop"), need.Timebench(b)
	for _, c := range checked(b, loop) {
		call, path, _ := strings.Cut(c.ID, "@")
		paths := map[string][]string{"vdso": {"libc", "vdso"}, "syscall": {"syscall", "door"}, "cpu": {"cpu"}}[path]
		b.Run(c.ID, func(b *testing.B) {
			found := measured.Medians{}
			for b.Loop() {
				our, _ := byTimebench(b, timebench, c.ID)
				found.Add("ns-timebench", our)
				for _, by := range paths {
					their := byC(b, loop, by, call)
					found.Add("ns-C-"+by, their)
					found.Add("ratio-"+by, our/their)
				}
			}
			found.Report(b)
		})
	}
}

func BenchmarkFloorAgainstC(b *testing.B) {
	loop, timebench := compiled(b, "loop"), need.Timebench(b)
	found := measured.Medians{}
	for b.Loop() {
		_, floor := byTimebench(b, timebench, "time.Now@go")
		found.Add("ns-timebench", floor)
		found.Add("ns-C", byC(b, loop, "empty", "floor"))
	}
	found.Report(b)
}

// BenchmarkScalingAgainstC has threads count without reading, on all CPUs and on one: a figure below C's would be the
// cost of the runner itself.
func BenchmarkScalingAgainstC(b *testing.B) {
	program, cpus := compiled(b, "scale"), len(thread.Usable())
	empty := clock.Clock{ID: "empty", Hz: 1, ReportedNS: func() float64 { return 0 }, Open: clock.OpenFloor}
	settings := measure.Settings{Threads: []int{1, cpus}, Rounds: 1, Time: 500 * time.Millisecond, CPU: result.CPU{Usable: cpus}}
	found := measured.Medians{}
	for b.Loop() {
		costs, err := measure.Run(context.Background(), []clock.Clock{empty}, settings, nil)
		require.NoError(b, err)
		figures := costs.Clocks[0].Throughput
		found.Add("scaling-timebench", figures[1].ReadsPerSecond/figures[0].ReadsPerSecond/float64(cpus))
		found.Add("scaling-C", byC(b, program, strconv.Itoa(cpus)))
	}
	found.Report(b)
}
