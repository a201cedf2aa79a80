package readers

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/test/need"
)

var (
	window  = flag.Float64("window", 0, "profile for so many `seconds`; 0 is as long as the share of a row needs")
	repeats = flag.Int("repeats", 9, "repeat a trial so often, if the cost of a read changed during it")
	perfToo = flag.Bool("perf", true, "sample with perf, too")
)

// seconds returns how long a program is profiled: at least the 5 s of timebench profile, and long enough for 400
// samples of reads. The rate of reads is then within 10 % in 19 of 20 runs, as far as it depends on chance.
func seconds(o Options) float64 {
	const samples, least = 400, 5
	return cmp.Or(*window, max(least, math.Ceil(samples/(rate*o.Percent/100*float64(min(o.Threads, runtime.NumCPU()))))))
}

// BenchmarkShares compares the counts of programs with the samples of timebench and perf. It reports the medians of the
// trials: the share that the program counts, the share of each instrument, and the ratio of the reads of timebench and
// of the program for each second of CPU time. It also reports, for the worst trial, by how many points the share of an
// instrument is beyond the range of the program's own.
func BenchmarkShares(b *testing.B) {
	timebench, perf := need.Timebench(b), ""
	if path, err := exec.LookPath("perf"); err == nil && *perfToo {
		perf = path
	}
	for _, language := range Languages {
		b.Run(language, func(b *testing.B) {
			program := Build(b, language)
			for _, read := range program.Reads {
				for _, threads := range []int{1, 4} {
					for _, percent := range []float64{1, 10, 40, 90} {
						b.Run(fmt.Sprintf("%s/%g/%d", read, percent, threads), func(b *testing.B) {
							figures := map[string][]float64{}
							for b.Loop() {
								steadyTrial(b, program, Options{Read: read, Percent: percent, Threads: threads}, timebench, perf, figures)
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

// steadyTrial adds the figures of a trial. It repeats a trial during which the cost of a read changed, as the program
// found: neither the program nor an instrument can know the cost then.
func steadyTrial(b *testing.B, program *Program, o Options, timebench, perf string, figures map[string][]float64) {
	b.Helper()
	for left := *repeats; ; left-- {
		if found, steady := try(b, program, o, timebench, perf); left <= 0 || steady {
			for unit, figure := range found {
				figures[unit] = append(figures[unit], figure)
			}
			return
		}
	}
}

// try runs a program under one instrument after the other. Only the share of perf is of interest, so 5 s are enough.
func try(b *testing.B, program *Program, o Options, timebench, perf string) (figures map[string]float64, steady bool) {
	b.Helper()
	// timebench measures the cost of a read before it samples. On a busy machine that and the start of perf take
	// seconds; a program that ends under perf ends perf by a signal.
	const slack = 10
	span := seconds(o)
	perfSpan := min(span, 5)
	o.Seconds = span + perfSpan + slack
	running := program.Start(b, o)
	running.Go()
	profiled, err := profiled(timebench, running.PID(), span)
	require.NoError(b, err)
	samples := Samples{}
	if perf != "" {
		samples, err = Perf(b, perf, running.PID(), perfSpan)
		require.NoError(b, err)
	}
	own := running.End()
	low, high := own.ShareRange()
	beyond := func(share float64) float64 { return 100 * max(share-high, low-share, 0) }
	figures = map[string]float64{
		"%-own": 100 * own.Share, "%-timebench": 100 * *profiled.ClockShare,
		"worst-points-timebench": beyond(*profiled.ClockShare),
		"reads-ratio":            profiled.ReadsPerSecond / profiled.CPUsUsed / own.ReadsPerCPUSecond(),
	}
	if perf != "" {
		share := samples.Syscall
		if o.Read == "vdso" {
			share = samples.VDSO
		}
		figures["%-perf"], figures["worst-points-perf"] = 100*share, beyond(share)
	}
	return figures, own.Steady()
}
