package readers

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/test/need"
)

// BenchmarkPerturbation compares the reads of a program that timebench profiles from its start to its end with those of one that it does
// not, in pairs of which every other begins with the profiled one:
//
//	go test ./test/readers -run '^$' -bench Perturbation -benchtime 20x
//
// It reports the medians of the ratios of a pair, of reads in a second and in a second of CPU time, and their quartiles.
func BenchmarkPerturbation(b *testing.B) {
	timebench := need.Timebench(b)
	program := Build(b, "c")
	for _, read := range program.Reads {
		b.Run(read, func(b *testing.B) {
			var ofWall, ofCPU []float64
			for profiledFirst := false; b.Loop(); profiledFirst = !profiledFirst {
				// Nothing but reads: what share of its time they take would depend on its calibration.
				command := program.process(Options{Read: read, Percent: 100, Seconds: *window}.args(0)...).Args
				reports := map[bool]Report{}
				for _, profiled := range []bool{profiledFirst, !profiledFirst} {
					args := command
					if profiled {
						args = append([]string{timebench, "profile", "--quiet", "--format", "json", "--"}, command...)
					}
					reports[profiled] = reportOf(b, args)
				}
				with, without := reports[true], reports[false]
				ofWall = append(ofWall, with.ReadsPerSecond()/without.ReadsPerSecond())
				ofCPU = append(ofCPU, with.ReadsPerCPUSecond()/without.ReadsPerCPUSecond())
			}
			b.ReportMetric(0, "ns/op") // the length of a pair says nothing
			b.ReportMetric(stats.Median(ofWall), "reads/s-ratio")
			b.ReportMetric(stats.Quantile(0.25, ofWall), "reads/s-ratio-q1")
			b.ReportMetric(stats.Quantile(0.75, ofWall), "reads/s-ratio-q3")
			b.ReportMetric(stats.Median(ofCPU), "reads/CPU-s-ratio")
			b.ReportMetric(stats.Quantile(0.25, ofCPU), "reads/CPU-s-ratio-q1")
			b.ReportMetric(stats.Quantile(0.75, ofCPU), "reads/CPU-s-ratio-q3")
		})
	}
}

// reportOf runs a program to its end, and returns the report that is among the lines that it prints.
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
