package runtimes

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/test/need"
)

// BenchmarkOwnLoops compares the median lateness of sleeps with loops of testdata, in turn, and reports the ratio of
// the medians: of an iteration, the median over the iterations.
//
//	go test ./internal/measurement/runtimes -run '^$' -bench OwnLoops -benchtime 10x
func BenchmarkOwnLoops(b *testing.B) {
	folder := b.TempDir()
	build := func(compiler string, arguments ...string) {
		out, err := exec.Command(need.Program(b, compiler), arguments...).CombinedOutput()
		require.NoError(b, err, "%s", out)
	}
	build("javac", "-d", folder, "testdata/Own.java")
	build("go", "build", "-o", filepath.Join(folder, "go"), "testdata/own.go")
	build("cc", "-O2", "-o", filepath.Join(folder, "c"), "testdata/own.c")
	own := map[string][]string{
		"java": {"java", "-cp", folder, "Own"}, "python3": {"python3", "testdata/own.py"},
		"go": {filepath.Join(folder, "go")}, "c": {filepath.Join(folder, "c")},
	}
	ways := map[string][]string{
		"java": {"LockSupport.parkNanos", "Thread.sleep(ms, ns)"}, "c": {"nanosleep"},
		"python3": {"time.sleep", "threading.Event.wait", "asyncio.sleep"}, "go": {"time.Sleep"},
	}
	ratios := map[string][]float64{}
	for b.Loop() {
		for name, loop := range own {
			of, _ := Named(name)
			of.Sleeps = ways[name]
			settings := Settings{
				Runtimes: []Selected{{Runtime: of}}, Starts: 3, Sleeps: 100,
				Spans: []time.Duration{100 * time.Microsecond, time.Millisecond},
			}
			section, err := Run(b.Context(), settings, func(_, _ time.Duration) {})
			require.NoError(b, err)
			require.Empty(b, section.Runtimes[0].Reason)
			for _, m := range section.Runtimes[0].Sleeps {
				for _, slept := range m.Spans {
					arguments := slices.Concat(loop[1:], []string{m.Call, strconv.FormatInt(slept.SpanNS, 10)})
					ratio := slept.MedianLateNS / stats.Median(lateness(b, loop[0], arguments...))
					key := m.ID + "-" + time.Duration(slept.SpanNS).String()
					ratios[key] = append(ratios[key], ratio)
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op") // the length of an iteration says nothing
	for key, all := range ratios {
		b.ReportMetric(stats.Median(all), strings.ReplaceAll(key, " ", ""))
	}
}

// lateness returns the numbers that a program prints.
func lateness(b *testing.B, name string, arguments ...string) (all []float64) {
	b.Helper()
	command := exec.Command(name, arguments...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	require.NoError(b, err)
	for text := range strings.FieldsSeq(string(out)) {
		ns, err := strconv.ParseFloat(text, 64)
		require.NoError(b, err)
		all = append(all, ns)
	}
	return all
}
