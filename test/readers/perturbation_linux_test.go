package readers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/test/need"
)

// perturbations are commands that profile a program, which is appended. perf is for comparison.
func perturbations(b *testing.B, timebench string) map[string][]string {
	b.Helper()
	all := map[string][]string{
		"timebench":     {timebench, "profile", "--quiet", "--format", "json", "--"},
		"timebench-997": {timebench, "profile", "--quiet", "--format", "json", "--rate", strconv.Itoa(rate), "--"},
	}
	perf := []string{"perf", "record", "-q", "-e", "cpu-clock", "-F", strconv.Itoa(rate), "-g", "-o",
		filepath.Join(b.TempDir(), "perf.data"), "--"}
	if exec.Command(perf[0], append(perf[1:len(perf):len(perf)], "true")...).Run() == nil {
		all["perf-997"] = perf
	}
	return all
}

// BenchmarkPerturbation compares the reads of a program that is profiled from its start to its end with the reads of an
// unprofiled run. They are pairs; every other pair begins with the profiled run:
//
//	go test ./test/readers -run '^$' -bench Perturbation -benchtime 40x
//
// Short runs make the two of a pair more alike: the speed of a virtual machine changes soon. timebench has its default
// rate, and timebench-997 the rate of perf.
//
// It reports the medians of the ratios of a pair, of reads in a second and in a second of CPU time, and their
// quartiles; and the ratio of the best run of each kind, which noise disturbs less.
func BenchmarkPerturbation(b *testing.B) {
	program, profilers := Build(b, "c"), perturbations(b, need.Timebench(b))
	seconds := cmp.Or(*window, 0.5)
	for _, read := range program.Reads {
		for _, name := range slices.Sorted(maps.Keys(profilers)) {
			b.Run(read+"/"+name, func(b *testing.B) {
				var ofWall, ofCPU []float64
				best := map[bool]float64{}
				for profiledFirst := false; b.Loop(); profiledFirst = !profiledFirst {
					// The program only reads: a share of its time would depend on its calibration.
					command := program.process(Options{Read: read, Percent: 100, Seconds: seconds}.args(0)...).Args
					reports := map[bool]Report{}
					for _, profiled := range []bool{profiledFirst, !profiledFirst} {
						args := command
						if profiled {
							args = slices.Concat(profilers[name], command)
						}
						report := reportOf(b, args)
						reports[profiled], best[profiled] = report, max(best[profiled], report.ReadsPerCPUSecond())
					}
					with, without := reports[true], reports[false]
					ofWall = append(ofWall, with.ReadsPerSecond()/without.ReadsPerSecond())
					ofCPU = append(ofCPU, with.ReadsPerCPUSecond()/without.ReadsPerCPUSecond())
				}
				b.ReportMetric(0, "ns/op") // the length of a pair says nothing
				b.ReportMetric(best[true]/best[false], "best-reads/CPU-s-ratio")
				for unit, ratios := range map[string][]float64{"reads/s-ratio": ofWall, "reads/CPU-s-ratio": ofCPU} {
					b.ReportMetric(stats.Median(ratios), unit)
					b.ReportMetric(stats.Quantile(0.25, ratios), unit+"-q1")
					b.ReportMetric(stats.Quantile(0.75, ratios), unit+"-q3")
				}
			})
		}
	}
}

// reportOf runs a program to its end, and returns the report among its lines.
func reportOf(b *testing.B, args []string) (report Report) {
	b.Helper()
	command := exec.Command(args[0], args[1:]...)
	out, err := command.CombinedOutput()
	require.NoError(b, err, "%s", out)
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, []byte(`{"reads":`)) {
			require.NoError(b, json.Unmarshal(line, &report))
			return report
		}
	}
	require.Fail(b, "no report", "%s", out)
	return report
}
