package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func hasThroughput(d *result.Document) bool { return len(lines(d, nsPerRead)) > 0 }

// linesHeight leaves a line of text for each label beside the plot.
func linesHeight(d *result.Document) vg.Length {
	return max(560*pixel, vg.Length(len(lines(d, nsPerRead))+1)*lineApart+150*pixel)
}

// lineApart is how far the labels of lines lie apart.
const lineApart = 16 * pixel

// A line is one clock's figures over the numbers of threads.
type line struct {
	name   string
	style  draw.LineStyle
	mark   draw.GlyphStyle
	at     []float64 // on the other axis, in ascending order
	values []float64
}

func nsPerRead(t result.Throughput) float64      { return t.NSPerRead }
func readsPerSecond(t result.Throughput) float64 { return t.ReadsPerSecond }

// lines are the lines of a document, by a figure of each measurement: the first.
func lines(d *result.Document, value func(result.Throughput) float64) []line {
	var all []line
	ofPath := map[string]int{}
	for _, clock := range d.Clocks {
		l := lineOf(clock.ID, clock.Path, ofPath[clock.Path])
		for _, t := range clock.Throughput {
			if v := value(t); v > 0 {
				l.at = append(l.at, float64(t.Threads))
				l.values = append(l.values, v)
			}
		}
		if len(l.values) > 0 {
			ofPath[clock.Path]++
			all = append(all, l)
		}
	}
	return shown(all)
}

// lineOf is the line of a clock without its figures; the i-th of its path.
func lineOf(id, path string, i int) line {
	look := lookOf(path)
	l := line{name: id, mark: look.glyph(3 * pixel), style: stroke(look.color, 1.6*pixel)}
	l.style.Dashes = dashes[i%len(dashes)]
	return l
}

// pathOf is the path in the id of a clock.
func pathOf(id string) string {
	_, path, _ := strings.Cut(id, "@")
	return path
}

func drawTimePerRead(c draw.Canvas, d *result.Document) error {
	g := overThreads(d, lines(d, nsPerRead))
	g.yLabel, g.word = "wall time of one read (logarithmic)", duration
	g.draw(c)
	return nil
}

func drawReadsPerSecond(c draw.Canvas, d *result.Document) error {
	all := lines(d, readsPerSecond)
	g := overThreads(d, append(all, perfect(all)))
	g.yLabel, g.word = "reads a second (logarithmic)", rate
	g.draw(c)
	return nil
}

// overThreads is a graph over the numbers of threads.
func overThreads(d *result.Document, all []line) graph {
	return graph{
		lines: all, xLabel: "threads reading at once" + processes(d) + " (logarithmic)", xTicks: threadTicks{d.Settings.Threads},
		cpus: host.UsableCPUs(d.Host),
	}
}

func processes(d *result.Document) string {
	if d.Settings.Workers == "processes" {
		return ", each a process"
	}
	return ""
}

// perfect is the line of perfect scaling from the highest point at the fewest
// threads. On two logarithmic axes every clock that scales runs parallel to it.
func perfect(all []line) line {
	start := slices.MaxFunc(all, func(a, b line) int { return cmp.Compare(a.values[0]/a.at[0], b.values[0]/b.at[0]) })
	l := line{name: "perfect scaling", style: stroke(grey, 1.6*pixel)}
	l.style.Dashes = []vg.Length{3 * pixel, 4 * pixel}
	for _, threads := range start.at {
		l.at = append(l.at, threads)
		l.values = append(l.values, start.values[0]/start.at[0]*threads)
	}
	return l
}

// A graph is lines on two logarithmic axes, each with its name beside the plot.
type graph struct {
	lines          []line
	xLabel, yLabel string
	xTicks         plot.Ticker
	word           func(float64) string // of a value
	// cpus is the place of a mark at the number of CPUs; 0 for none.
	cpus int
}

func (g graph) draw(c draw.Canvas) {
	p := newPlot()
	var values, places []float64
	for _, l := range g.lines {
		values = append(values, l.values...)
		places = append(places, l.at...)
	}
	p.Y.Min, p.Y.Max = around(values, 1.4)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{g.word}
	p.X.Min, p.X.Max = around(places, 1.06)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, g.xTicks
	p.Add(lineMarks{g.lines, g.cpus})

	text := style(labelSize, black)
	widest := vg.Length(0)
	for _, l := range g.lines {
		widest = max(widest, text.Width(shortened(text, l.name, mostNameWidth)))
	}
	data := drawPlot(draw.Crop(c, 0, -(widest+leader), 0, 0), p, g.xLabel, g.yLabel)
	x, y := p.Transforms(&data)
	nameEnds(c, data, g.lines, x, y)
}

// mostNameWidth is the most room for a name; none of timebench's own takes more.
const mostNameWidth = 300 * pixel

// leader is the room for what leads from the end of a line to its name.
const leader = 34 * pixel

// nameEnds writes the names of lines beside the plot whose data lies there, each as
// near to the line's end as the others leave room.
func nameEnds(c, data draw.Canvas, lines []line, x, y func(float64) vg.Length) {
	text := style(labelSize, black)
	ends := slices.Clone(lines)
	last := func(l line) float64 { return l.values[len(l.values)-1] }
	slices.SortStableFunc(ends, func(a, b line) int { return cmp.Compare(last(a), last(b)) })
	wanted := make([]vg.Length, len(ends))
	for i, l := range ends {
		wanted[i] = y(last(l))
	}
	text.YAlign = draw.YCenter
	for i, at := range spread(wanted, lineApart, data.Min.Y, data.Max.Y) {
		l := ends[i]
		text.Color = l.style.Color
		from := x(l.at[len(l.at)-1])
		c.StrokeLines(stroke(l.style.Color, 0.7*pixel), []vg.Point{
			{X: from + 4*pixel, Y: wanted[i]}, {X: data.Max.X + 6*pixel, Y: wanted[i]},
			{X: data.Max.X + leader - 10*pixel, Y: at}, {X: data.Max.X + leader - 5*pixel, Y: at},
		})
		c.FillText(text, vg.Point{X: data.Max.X + leader, Y: at}, shortened(text, l.name, mostNameWidth))
	}
}

// lineMarks is the plotter of a graph.
type lineMarks struct {
	lines []line
	cpus  int
}

func (marks lineMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if at := float64(marks.cpus); at > 0 && at >= p.X.Min && at <= p.X.Max {
		edge := stroke(grey, pixel)
		edge.Dashes = []vg.Length{2 * pixel, 3 * pixel}
		c.StrokeLine2(edge, x(at), c.Min.Y, x(at), c.Max.Y)
		text := style(labelSize, grey)
		text.YAlign = draw.YTop
		name := fmt.Sprintf(" %d CPUs usable", marks.cpus)
		if marks.cpus == 1 {
			name = " 1 CPU usable"
		}
		if x(at)+text.Width(name) > c.Max.X {
			text.XAlign, name = draw.XRight, name+" "
		}
		c.FillText(text, vg.Point{X: x(at), Y: c.Max.Y}, name)
	}
	for _, l := range marks.lines {
		points := make([]vg.Point, len(l.values))
		for i := range points {
			points[i] = vg.Point{X: x(l.at[i]), Y: y(l.values[i])}
		}
		c.StrokeLines(l.style, points)
		for _, point := range points {
			if l.mark.Shape != nil {
				c.DrawGlyph(l.mark, point)
			}
		}
	}
}
