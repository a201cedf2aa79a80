package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
)

func nsPerRead(t Throughput) float64      { return t.NSPerRead }
func readsPerSecond(t Throughput) float64 { return t.ReadsPerSecond }

// lines returns the first lines of a document: a figure of each clock by number of threads.
func lines(d *result.Document, value func(Throughput) float64) []picture.Line {
	var all []picture.Line
	for _, clock := range Of(d).Clocks {
		l := picture.LineOf(clock.ID, clock.Path)
		l.Aside = !IsEveryday(clock.ID)
		for _, t := range clock.Throughput {
			if v := value(t); v > 0 {
				l.At = append(l.At, float64(t.Threads))
				l.Values = append(l.Values, v)
				l.Doubtful = append(l.Doubtful, t.Disturbed)
			}
		}
		if len(l.Values) > 0 {
			all = append(all, l)
		}
	}
	return picture.Shown(all)
}

func timePerRead(d *result.Document) picture.Drawing {
	g := overThreads(d, bands(lines(d, nsPerRead), host.UsableCPUs(d.Host)))
	g.YLabel, g.Word = "wall time per read (log scale)", words.Duration
	return g
}

func totalReads(d *result.Document) picture.Drawing {
	all := lines(d, readsPerSecond)
	return rates(d, all, bands(all, host.UsableCPUs(d.Host)), "reads per second (log scale)")
}

// rates returns a graph of rates, drawn as some lines or bands of lines, with the line of perfect scaling.
func rates(d *result.Document, all, drawn []picture.Line, label string) picture.Drawing {
	if len(all) == 0 {
		return nil
	}
	g := overThreads(d, drawn)
	g.Ideal = perfect(all, host.UsableCPUs(d.Host))
	g.YLabel, g.Word = label, words.Rate
	return g
}

func overThreads(d *result.Document, all []picture.Line) picture.Graph {
	threads := "number of threads"
	if d.Settings.Workers == "processes" {
		threads += " (each a process)"
	}
	threads += " (log scale)"
	if slices.ContainsFunc(all, func(l picture.Line) bool { return slices.Contains(l.Doubtful, true) }) {
		threads += "; hollow: disturbed by other programs"
	}
	cpus := host.UsableCPUs(d.Host)
	return picture.Graph{
		Lines: all, XLabel: threads, XTicks: picture.ThreadTicks(d.Settings.Threads),
		Shade: float64(cpus), ShadeName: words.Plural(cpus, "CPU") + " usable",
	}
}

// perfect returns the line of perfect scaling, from the highest point at the smallest number of
// threads to the CPUs, if their number is known. On two logarithmic axes the line of a clock that
// scales is parallel to it.
func perfect(all []picture.Line, cpus int) picture.Line {
	start := slices.MaxFunc(all, func(a, b picture.Line) int {
		return cmp.Compare(a.Values[0]/a.At[0], b.Values[0]/b.At[0])
	})
	l := picture.Line{Name: "perfect scaling", Style: picture.Stroke(picture.Grey, 1.6*picture.Pixel)}
	l.Style.Dashes = []vg.Length{3 * picture.Pixel, 4 * picture.Pixel}
	from, to := start.At[0], start.At[len(start.At)-1]
	if cpus > 0 {
		to = min(to, float64(cpus))
	}
	if to > from {
		l.At, l.Values = []float64{from, to}, []float64{start.Values[0], start.Values[0] / from * to}
	}
	return l
}

// bands returns one line for the clocks of a path that do not differ. Beyond the CPUs
// a line depends on the scheduler more than on the clock, so that part is not compared.
func bands(all []picture.Line, cpus int) []picture.Line {
	return picture.Banded(all, func(l picture.Line) picture.Line { return l },
		func(a, b picture.Line) bool { return differ(a, b, cpus) })
}

// differ reports whether two lines have different numbers of threads, or differ where each thread has a CPU.
func differ(a, b picture.Line, cpus int) bool {
	const most = 1.15
	if !slices.Equal(a.At, b.At) {
		return true
	}
	for i, threads := range a.At {
		if cpus > 0 && threads > max(float64(cpus), a.At[0]) {
			continue
		}
		if high, low := max(a.Values[i], b.Values[i]), min(a.Values[i], b.Values[i]); high > most*low {
			return true
		}
	}
	return false
}
