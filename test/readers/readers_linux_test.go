package readers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
)

var window = flag.Float64("window", 0, "profile for so many `seconds`; 0 is as long as the share of a row needs")

// rate is the number of samples in a second of CPU time.
const rate = 997

// seconds returns how long a program is profiled: at least the 5 s of timebench profile, and long enough for 400
// samples of reads. The rate of reads is then within 10 % in 19 of 20 runs, as far as it depends on chance.
func seconds(o Options) float64 {
	const samples, least = 400, 5
	return cmp.Or(*window, max(least, math.Ceil(samples/(rate*o.Percent/100*float64(min(o.Threads, runtime.NumCPU()))))))
}

// BenchmarkShares compares the counts of programs with the samples of timebench. It reports the medians of the trials:
// both shares, and the ratio of the reads of timebench and of the program for each second of CPU time. It also reports,
// for the worst trial, by how many points the share is beyond the range of the program's own.
func BenchmarkShares(b *testing.B) {
	timebench := need.Timebench(b)
	for _, language := range Languages {
		b.Run(language, func(b *testing.B) {
			program := Build(b, language)
			for _, read := range program.Reads {
				for _, threads := range []int{1, 4} {
					for _, percent := range []float64{1, 10, 40, 90} {
						b.Run(fmt.Sprintf("%s/%g/%d", read, percent, threads), func(b *testing.B) {
							figures := map[string][]float64{}
							for b.Loop() {
								for unit, figure := range try(b, program, Options{Read: read, Percent: percent, Threads: threads}, timebench) {
									figures[unit] = append(figures[unit], figure)
								}
							}
							b.ReportMetric(0, "ns/op") // the length of a trial says nothing
							for unit, all := range figures {
								if strings.HasPrefix(unit, "worst") {
									b.ReportMetric(slices.Max(all), unit)
								} else {
									b.ReportMetric(stats.Median(all), unit)
								}
							}
						})
					}
				}
			}
		})
	}
}

// try runs a program, and profiles it meanwhile.
func try(b *testing.B, program *Program, o Options, timebench string) map[string]float64 {
	b.Helper()
	// timebench measures the cost of a read before it samples. On a busy machine that takes seconds.
	const slack = 10
	span := seconds(o)
	o.Seconds = span + slack
	running := program.Start(b, o)
	running.Go()
	d := measured.Document(b, timebench, "profile", strconv.Itoa(running.PID()), "--duration", decimal(span)+"s", "--rate",
		strconv.Itoa(rate))
	own := running.End()
	all := profile.Of(d).Processes
	i := slices.IndexFunc(all, func(p profile.Process) bool { return p.PID == running.PID() && p.ClockShare != nil })
	require.GreaterOrEqual(b, i, 0, "the profile has no share of the program")
	profiled := all[i]
	low, high := own.ShareRange()
	return map[string]float64{
		"%-own": 100 * own.Share, "%-timebench": 100 * *profiled.ClockShare,
		"worst-points-timebench": 100 * max(*profiled.ClockShare-high, low-*profiled.ClockShare, 0),
		"reads-ratio":            profiled.ReadsPerSecond / profiled.CPUsUsed / own.ReadsPerCPUSecond(),
	}
}

func TestReaders(t *testing.T) {
	need.Minutes(t)
	for _, language := range Languages {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			counts(t, Build(t, language))
		})
	}
}

func counts(t *testing.T, program *Program) {
	for _, read := range program.Reads {
		shares := map[float64]float64{}
		for _, percent := range []float64{0, 10, 90} {
			report := program.Start(t, Options{Read: read, Percent: percent, Seconds: 0.2}).End()
			t.Logf("%s %g %%: %+v", read, percent, report)
			require.Positive(t, report.CPUNS)
			require.Positive(t, report.WallNS)
			if percent == 0 {
				require.Zero(t, report.Reads)
				require.Zero(t, report.Share)
				require.Zero(t, report.ShareByReads)
				require.Positive(t, report.Iterations)
				continue
			}
			require.Positive(t, report.Reads)
			require.Positive(t, report.ReadNS)
			shares[percent] = report.ShareByReads
		}
		require.Greater(t, shares[90], shares[10], read)
	}
	threads := program.Start(t, Options{Read: "vdso", Percent: 100, Threads: 4, Seconds: 0.2}).End()
	require.Positive(t, threads.Reads)
	require.Zero(t, threads.Iterations, "at 100 percent there is nothing but reads")
}

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
