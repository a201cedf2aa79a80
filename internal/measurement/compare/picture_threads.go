package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func hasThroughput(d *result.Document) bool { return len(lines(d, nsPerRead)) > 0 }

// linesHeight has room for a label beside the plot for each line.
func linesHeight(d *result.Document) vg.Length {
	return max(560*picture.Pixel, vg.Length(len(lines(d, nsPerRead))+1)*picture.LineApart+150*picture.Pixel)
}

func nsPerRead(t Throughput) float64      { return t.NSPerRead }
func readsPerSecond(t Throughput) float64 { return t.ReadsPerSecond }

// lines returns the first lines of a document, of one figure over the number of threads.
func lines(d *result.Document, value func(Throughput) float64) []picture.Line {
	var all []picture.Line
	ofPath := map[string]int{}
	for _, clock := range Of(d).Clocks {
		l := picture.LineOf(clock.ID, clock.Path, ofPath[clock.Path])
		for _, t := range clock.Throughput {
			if v := value(t); v > 0 {
				l.At = append(l.At, float64(t.Threads))
				l.Values = append(l.Values, v)
			}
		}
		if len(l.Values) > 0 {
			ofPath[clock.Path]++
			all = append(all, l)
		}
	}
	return picture.Shown(all)
}

func drawTimePerRead(c draw.Canvas, d *result.Document) error {
	g := overThreads(d, lines(d, nsPerRead))
	g.YLabel, g.Word = "wall time per read (log scale)", words.Duration
	g.Draw(c)
	return nil
}

func drawReadsPerSecond(c draw.Canvas, d *result.Document) error {
	all := lines(d, readsPerSecond)
	g := overThreads(d, append(all, perfect(all)))
	g.YLabel, g.Word = "reads per second (log scale)", words.Rate
	g.Draw(c)
	return nil
}

// overThreads returns a graph over the number of threads.
func overThreads(d *result.Document, all []picture.Line) picture.Graph {
	return picture.Graph{
		Lines: all, XLabel: "number of threads" + processes(d) + " (log scale)", XTicks: picture.ThreadTicks{Threads: d.Settings.Threads},
		CPUs: host.UsableCPUs(d.Host),
	}
}

func processes(d *result.Document) string {
	if d.Settings.Workers == "processes" {
		return " (each a process)"
	}
	return ""
}

// perfect returns the line of perfect scaling, from the highest point at the smallest number of
// threads. On two logarithmic axes the line of a clock that scales is parallel to it.
func perfect(all []picture.Line) picture.Line {
	start := slices.MaxFunc(all, func(a, b picture.Line) int { return cmp.Compare(a.Values[0]/a.At[0], b.Values[0]/b.At[0]) })
	l := picture.Line{Name: "perfect scaling", Style: picture.Stroke(picture.Grey, 1.6*picture.Pixel)}
	l.Style.Dashes = []vg.Length{3 * picture.Pixel, 4 * picture.Pixel}
	for _, threads := range start.At {
		l.At = append(l.At, threads)
		l.Values = append(l.Values, start.Values[0]/start.At[0]*threads)
	}
	return l
}
