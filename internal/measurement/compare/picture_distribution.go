package compare

import (
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func hasDistribution(d *result.Document) bool { return len(percentiles(d)) > 0 }

func distributionHeight(d *result.Document, width vg.Length) vg.Length {
	return picture.GraphHeight(len(percentiles(d)), width)
}

// percentiles returns the lines of the distributions. A percentile p is at 1/(1-p), so that each
// further nine has the same width. A line has steps. It starts at the first percentile, since
// lower times are the noise of the counter.
func percentiles(d *result.Document) []picture.Line {
	const first = 1 / (1 - 0.01)
	var all []picture.Line
	ofPath := map[string]int{}
	for _, clock := range Of(d).Clocks {
		if clock.Distribution == nil || clock.Distribution.Reads == 0 {
			continue
		}
		l := picture.Line{Name: clock.ID, Style: picture.Stroke(picture.LookOf(clock.Path).Color, 1.6*picture.Pixel)}
		l.Style.Dashes = picture.Dashes[ofPath[clock.Path]%len(picture.Dashes)]
		ofPath[clock.Path]++
		reads, left := float64(clock.Distribution.Reads), clock.Distribution.Reads
		for _, b := range clock.Distribution.Buckets {
			from := reads / float64(left)
			left -= b.Reads
			if oneIn := reads / float64(max(left, 1)); oneIn >= first && b.UpToNS > 0 {
				l.At, l.Values = append(l.At, max(from, first), oneIn), append(l.Values, b.UpToNS, b.UpToNS)
			}
			if left <= 0 {
				break
			}
		}
		if len(l.At) > 0 {
			all = append(all, l)
		}
	}
	return picture.Shown(all)
}

func drawDistribution(c draw.Canvas, d *result.Document) error {
	picture.Graph{
		Lines: percentiles(d), XLabel: "percentile of the reads (%)", XTicks: percentileTicks{},
		YLabel: "time of a single read, timer included (log scale)", Word: words.Duration,
	}.Draw(c)
	return nil
}

// percentileTicks labels 1/(1-p) with p.
type percentileTicks struct{}

func (percentileTicks) Ticks(_, high float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 2, Label: "50"}}
	for oneIn, places := 10.0, 0; oneIn <= high; oneIn, places = oneIn*10, places+1 {
		percent := strconv.FormatFloat(100-100/oneIn, 'f', max(0, places-1), 64)
		ticks = append(ticks, plot.Tick{Value: oneIn, Label: percent})
	}
	return ticks
}
