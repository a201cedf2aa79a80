package readers

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/test/need"
)

var (
	timebenchPath = flag.String("timebench", "", "profile with this `program`; none profiles with perf only")
	window        = flag.Float64("window", 0, "profile for so many `seconds`; 0 is as long as the share of a row needs")
	slack         = flag.Float64("slack", 10, "let a program run for so many `seconds` more than it is profiled; a quiet machine needs 3")
	repeats       = flag.Int("repeats", 9, "repeat a trial so often, if the cost of a read changed during it")
	perfToo       = flag.Bool("perf", true, "sample with perf, too")
)

// A trial is one run of a program under the instruments.
type trial struct {
	report  Report
	profile *profile.Process // nil if there is none
	perf    *Samples         // nil if there is none
	failed  error
}

// A row is all trials with the same arguments.
type row struct {
	language, read string
	percent        float64
	threads        int
	trials         []trial
	repeated       int // trials that are not in trials, because the machine was not steady
}

func (r *row) add(t trial) { r.trials = append(r.trials, t) }

// seconds returns how long a row is profiled: at least the 5 s of timebench profile, and so long that 400 samples are of reads. The
// rate of reads is then within 10 % in 19 of 20 runs, as far as it depends on chance.
func (r *row) seconds() float64 {
	const samples, least = 400, 5
	if *window > 0 {
		return *window
	}
	return max(least, math.Ceil(samples/(rate*r.percent/100*float64(min(r.threads, runtime.NumCPU())))))
}

// perfShare returns the share of perf that is of the kind of the row.
func (r *row) perfShare(s *Samples) float64 {
	if r.read == "vdso" {
		return s.VDSO
	}
	return s.Syscall
}

// BenchmarkShares compares what programs count with what timebench and perf sample.
func BenchmarkShares(b *testing.B) {
	timebench, perf := *timebenchPath, ""
	if timebench == "" {
		timebench = need.Timebench(b)
	}
	if timebench != "none" && exec.Command(timebench, "profile", "--help").Run() != nil {
		b.Logf("%s has no command profile", timebench)
		timebench = "none"
	}
	if path, err := exec.LookPath("perf"); err == nil && *perfToo {
		perf = path
	}
	for _, language := range Languages {
		b.Run(language, func(b *testing.B) {
			program := Build(b, language)
			for _, read := range program.Reads {
				var rows []*row
				for _, threads := range []int{1, 4} {
					for _, percent := range []float64{1, 10, 40, 90} {
						b.Run(fmt.Sprintf("%s/%g/%d", read, percent, threads), func(b *testing.B) {
							r := &row{language: language, read: read, percent: percent, threads: threads}
							rows = append(rows, r)
							for b.Loop() {
								r.add(r.steady(b, program, timebench, perf))
							}
							b.ReportMetric(0, "ns/op") // the length of a trial says nothing
							b.ReportMetric(100*r.own(), "%-own")
						})
					}
				}
				if len(rows) > 0 {
					require.NoError(b, write(os.Stdout, rows))
				}
			}
		})
	}
}

// steady repeats a trial during which the cost of a read changed, as the program found: neither the program nor
// an instrument can say what a read cost then.
func (r *row) steady(b *testing.B, program *Program, timebench, perf string) trial {
	b.Helper()
	for left := *repeats; ; left-- {
		if t := r.try(b, program, timebench, perf); left <= 0 || t.report.Steady() {
			return t
		}
		r.repeated++
	}
}

// try runs the program of a row under one instrument after the other. For perf, of which only the share is of interest, 5 s do.
func (r *row) try(b *testing.B, program *Program, timebench, perf string) (t trial) {
	b.Helper()
	seconds, perfSeconds := r.seconds(), min(r.seconds(), 5)
	o := Options{Read: r.read, Percent: r.percent, Threads: r.threads}
	// timebench measures the cost of a read before it samples. On a busy machine that and the start
	// of perf take seconds; a program that ends under perf ends perf by a signal.
	o.Seconds = seconds + *slack
	if perf != "" {
		o.Seconds += perfSeconds
	}
	running := program.Start(b, o)
	running.Go()
	if timebench != "none" {
		var err error
		t.profile, err = profiled(timebench, running.PID(), seconds)
		t.failed = errors.Join(t.failed, err)
	}
	if perf != "" {
		if s, err := Perf(b, perf, running.PID(), perfSeconds); err != nil {
			t.failed = errors.Join(t.failed, err)
		} else {
			t.perf = &s
		}
	}
	t.report = running.End()
	return t
}

// each returns a figure of every trial that has it.
func (r *row) each(figure func(trial) (float64, bool)) []float64 {
	var all []float64
	for _, t := range r.trials {
		if f, ok := figure(t); ok {
			all = append(all, f)
		}
	}
	return all
}

func (r *row) own() float64 {
	return middle(r.each(func(t trial) (float64, bool) { return t.report.Share, true }))
}

// beyond returns by how many points a share is beyond the range of a report; 0 within it.
func beyond(r Report, share float64) float64 {
	low, high := r.ShareRange()
	return 100 * (max(share-high, 0) + min(share-low, 0))
}

func middle(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	return stats.Median(all)
}

// within returns how many of the figures are at most so large, as "9 of 10".
func within(all []float64, limit float64) string {
	if len(all) == 0 {
		return "-"
	}
	n := len(slices.DeleteFunc(slices.Clone(all), func(x float64) bool { return math.Abs(x) > limit }))
	return fmt.Sprintf("%d of %d", n, len(all))
}

func cell(format string, x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

// write prints the medians of all trials, and how many trials are within 2 points of the range of the
// program's own share, and within 10 % of its reads. "points" are those beyond the range. "perf %" is the share of the vDSO, or of the
// whole system call; "clock only %" is that of the kernel's function of the clock. "by CPU time" is
// the ratio of the reads for each second of CPU time: the program counts during its whole run, and
// on a busy machine it does not get the same CPU time in each second of it. "repeated" is how
// many trials more there were.
func write(w io.Writer, rows []*row) error {
	var table strings.Builder
	fmt.Fprintln(&table, "\nprogram\tread\tpercent\tthreads\town %\tby reads\tby rest\tprofile %\tpoints\twithin 2\treads/s ratio\twithin 10 %\tby CPU time\twithin 10 %\trepeated\tperf %\tpoints\twithin 2\tclock only %\tsamples\t")
	for _, r := range rows {
		of := func(figure func(Report) float64) float64 {
			return middle(r.each(func(t trial) (float64, bool) { return figure(t.report), true }))
		}
		profiled := func(figure func(Report, *profile.Process) float64) []float64 {
			return r.each(func(t trial) (float64, bool) {
				if t.profile == nil {
					return 0, false
				}
				return figure(t.report, t.profile), true
			})
		}
		perfed := func(figure func(Report, *Samples) float64) []float64 {
			return r.each(func(t trial) (float64, bool) {
				if t.perf == nil {
					return 0, false
				}
				return figure(t.report, t.perf), true
			})
		}
		points := profiled(func(r Report, p *profile.Process) float64 { return beyond(r, *p.ClockShare) })
		ratios := profiled(func(r Report, p *profile.Process) float64 { return p.ReadsPerSecond / r.ReadsPerSecond() })
		byCPU := profiled(func(r Report, p *profile.Process) float64 {
			return p.ReadsPerSecond / p.CPUsUsed / r.ReadsPerCPUSecond()
		})
		beside := func(ratios []float64) []float64 {
			apart := slices.Clone(ratios)
			for i := range apart {
				apart[i]--
			}
			return apart
		}
		perfPoints := perfed(func(o Report, s *Samples) float64 { return beyond(o, r.perfShare(s)) })
		note := ""
		for _, t := range r.trials {
			if t.failed != nil {
				note = "  " + strings.Join(strings.Fields(t.failed.Error()), " ")
			}
		}
		fmt.Fprintf(&table, "%s\t%s\t%g\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			r.language, r.read, r.percent, r.threads,
			cell("%.2f", 100*of(func(r Report) float64 { return r.Share })),
			cell("%.2f", 100*of(func(r Report) float64 { return r.ShareByReads })),
			cell("%.2f", 100*of(func(r Report) float64 { return r.ShareByRest })),
			cell("%.2f", 100*middle(profiled(func(_ Report, p *profile.Process) float64 { return *p.ClockShare }))),
			cell("%+.2f", middle(points)), within(points, 2),
			cell("%.3f", middle(ratios)), within(beside(ratios), 0.1),
			cell("%.3f", middle(byCPU)), within(beside(byCPU), 0.1), strconv.Itoa(r.repeated),
			cell("%.2f", 100*middle(perfed(func(_ Report, s *Samples) float64 { return r.perfShare(s) }))),
			cell("%+.2f", middle(perfPoints)), within(perfPoints, 2),
			cell("%.2f", 100*middle(perfed(func(_ Report, s *Samples) float64 { return s.Clock }))),
			cell("%.0f", middle(perfed(func(_ Report, s *Samples) float64 { return float64(s.Count) }))),
			note)
	}
	aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := io.WriteString(aligned, table.String()); err != nil {
		return err
	}
	return aligned.Flush()
}
