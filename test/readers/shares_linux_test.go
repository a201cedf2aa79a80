package readers

import (
	"cmp"
	"flag"
	"fmt"
	"math"
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
