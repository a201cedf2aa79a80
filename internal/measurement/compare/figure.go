package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// MaxRuns is the max number of runs on a side of a comparison.
const MaxRuns = 100

// CostOf returns the cost of a read in one run: the lowest level of at least one sample.
func CostOf(run []float64) float64 { return stats.Level(run) }

func costsOf(runs [][]float64) []float64 {
	costs := make([]float64, len(runs))
	for i, run := range runs {
		costs[i] = CostOf(run)
	}
	return costs
}

// CostNS returns the cost of a read, for comparing runs and machines: the lowest level of the quickest slices, or of
// the samples if slices were not kept. It is the median over several runs, and the median latency without samples.
func (l *Latency) CostNS() float64 {
	if len(l.SamplesNS) == 0 {
		return l.MedianNS
	}
	return stats.Median(costsOf(l.quickestOrAll()))
}

// Unsteady reports whether a tenth of a run lies so far below its cost that the cost changed during the run.
func (l *Latency) Unsteady() bool { return varied(l.quickestOrAll()) }

func (l *Latency) quickestOrAll() [][]float64 {
	if runs := l.quickest(); runs != nil {
		return runs
	}
	return byRun(l.Runs, l.SamplesNS)
}

// quickest returns the quickest slices of each run; nil if they were not kept, or are not above 0.
func (l *Latency) quickest() [][]float64 {
	if len(l.QuietSamplesNS) == 0 || slices.Min(l.QuietSamplesNS) <= 0 {
		return nil
	}
	return byRun(l.Runs, l.QuietSamplesNS)
}

// A Subject is a clock, or a call of a language, with the samples of its costs.
type Subject struct {
	Name string
	// Benchmark is the name of the latency in the Go benchmark format, without the subject: "Latency/clock".
	Benchmark string
	// ClockSource is set in an experiment with another clock source than the machine's own.
	ClockSource string
	// Reason is why it has no costs.
	Reason string
	// Latency is nil, and Throughput empty, if they were not measured.
	Latency    *Latency
	Throughput []Throughput
	// BySlices is whether latencies are compared by the quickest slices, if both documents kept them.
	BySlices bool
	// UserMode is whether reads are known to stay in user mode.
	UserMode bool
	// ContendedFrom is the smallest number of threads whose CPUs were contended: see [ContendedFrom].
	ContendedFrom int
}

func (s Subject) name() string { return nameUnder(s.Name, s.ClockSource) }

func subjects(d *result.Document) []Subject {
	cpus := d.Host.CPU.Usable
	all := subjectsUnder("", Of(d).Clocks, ContendedFrom(d.Warnings, cpus))
	for _, e := range Of(d).OtherClockSources {
		all = append(all, subjectsUnder(e.ClockSource, e.Clocks, ContendedFrom(e.Warnings, cpus))...)
	}
	return all
}

func subjectsUnder(source string, clocks []Clock, contendedFrom int) []Subject {
	var all []Subject
	for _, c := range clocks {
		s := Subject{
			Name: c.ID, Benchmark: "Latency/clock", ClockSource: source, Reason: c.Reason, BySlices: true,
			ContendedFrom: contendedFrom,
			UserMode:      c.KernelEntry == result.Never || c.Path == "cpu" || c.Path == "memory",
		}
		if c.Available {
			s.Latency, s.Throughput = c.Latency, c.Throughput
		}
		all = append(all, s)
	}
	return all
}

// A figure has the samples of a cost of a subject, by run, in wall ns/read.
type figure struct {
	Subject
	threads int // 0 for latency
	runs    [][]float64
	// quickest is the quickest slice of each sample; nil where slices were not kept.
	quickest [][]float64
}

// contended returns whether other programs used CPUs that the threads needed, and loaded whether they used any CPU.
func (f figure) contended() bool { return f.threads >= f.ContendedFrom }
func (f figure) loaded() bool    { return f.ContendedFrom < math.MaxInt }

// text names the figure in its document.
func (f figure) text() string {
	if f.threads == 0 {
		return "the latency of " + f.name()
	}
	return figureName(f.name(), f.threads)
}

// contention are the warnings of runs that shared their CPUs.
var contention = []string{"load", "steal", "quota"}

// ContendedFrom returns the smallest number of threads whose CPUs were contended: the number of CPUs after a warning of
// contention, otherwise math.MaxInt.
func ContendedFrom(warnings []result.Warning, cpus int) int {
	if slices.ContainsFunc(warnings, func(w result.Warning) bool { return slices.Contains(contention, w.Kind) }) {
		return max(1, cpus)
	}
	return math.MaxInt
}

// figures returns the figures of subjects, each with at least one sample.
func figures(subjects []Subject) []figure {
	var all []figure
	add := func(f figure, samples []float64, counts []int) {
		// A sample of 0 ns, or of no reads, has no ratio to another, nor has one of another program that is nearly 0.
		const least = 1e-12
		if len(samples) > 0 && slices.Min(samples) >= least && !math.IsInf(slices.Max(samples), 0) {
			f.runs = byRun(counts, samples)
			// A document from another program may have more runs, whose pairs would fill the memory.
			f.runs, f.quickest = f.runs[:min(len(f.runs), MaxRuns)], f.quickest[:min(len(f.quickest), MaxRuns)]
			all = append(all, f)
		}
	}
	for _, s := range subjects {
		of := figure{Subject: s}
		if s.Latency != nil {
			if s.BySlices {
				of.quickest = s.Latency.quickest()
			}
			add(of, s.Latency.SamplesNS, s.Latency.Runs)
			of.quickest = nil
		}
		for _, t := range s.Throughput {
			of.threads = t.Threads
			samples := make([]float64, len(t.SamplesReadsPerSecond))
			for i, perSecond := range t.SamplesReadsPerSecond {
				samples[i] = float64(t.Threads) * 1e9 / perSecond
			}
			add(of, samples, t.Runs)
		}
	}
	return all
}

// lacking returns the subjects that the others lack, and the figures that the others lack of their own subjects.
func lacking(figures, others []figure) (subjects, lost []string) {
	has, gone := map[string]bool{}, map[string]bool{}
	for _, f := range others {
		has[f.name()], has[f.text()] = true, true
	}
	for _, f := range figures {
		switch {
		case has[f.text()] || gone[f.name()]:
		case has[f.name()]:
			lost = append(lost, f.text())
		default:
			subjects, gone[f.name()] = append(subjects, f.name()), true
		}
	}
	return subjects, lost
}

// SamplesOf returns the samples of subjects in the Go benchmark format, without experiments; the medians of the runs if
// there were several.
func SamplesOf(subjects []Subject) []section.Sample {
	var all []section.Sample
	subjects = slices.DeleteFunc(subjects, func(s Subject) bool { return s.ClockSource != "" })
	for _, f := range figures(subjects) {
		_, parameter, _ := strings.Cut(f.Benchmark, "/")
		subject := "=" + strings.Join(strings.Fields(f.Name), "_")
		name := f.Benchmark + subject
		if f.threads > 0 {
			name = "Throughput/" + parameter + subject + "/threads=" + strconv.Itoa(f.threads)
		}
		samples := f.runs[0]
		if len(f.runs) > 1 {
			samples = nil
			for _, run := range f.runs {
				samples = append(samples, stats.Median(run))
			}
		}
		for _, ns := range samples {
			all = append(all, section.Sample{Name: name, NSPerRead: ns, ReadsPerSecond: float64(f.threads) * 1e9 / ns})
		}
	}
	return all
}
