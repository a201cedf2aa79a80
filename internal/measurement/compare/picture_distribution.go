package compare

import (
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
)

func percentiles(d *result.Document) []picture.Line {
	return picture.Banded(picture.Shown(timedSingly(d)), percentileLine,
		func(a, b Clock) bool { return a.Distribution.differs(b.Distribution) })
}

func timedSingly(d *result.Document) []Clock {
	return slices.DeleteFunc(slices.Clone(Of(d).Clocks), func(c Clock) bool {
		return c.Distribution == nil || len(percentileLine(c).At) == 0
	})
}

// differs reports whether the times of most reads differ. The other times are noise of the machine.
func (one *Distribution) differs(other *Distribution) bool {
	const most = 1.5 // the counter of some machines has steps of 10 ns
	for _, of := range [][2]float64{{one.P50NS, other.P50NS}, {one.P90NS, other.P90NS}, {one.P99NS, other.P99NS}} {
		if max(of[0], of[1]) > most*min(of[0], of[1]) {
			return true
		}
	}
	return false
}

// percentileLine returns the line of a distribution. A percentile p is at 1/(1-p), so that each further nine has the
// same width. The line has steps. It starts at the first percentile, since lower times are the noise of the counter.
func percentileLine(clock Clock) picture.Line {
	const first = 1 / (1 - 0.01)
	l := picture.Line{Name: clock.ID, Style: picture.Stroke(picture.LookOf(clock.Path).Color, 1.6*picture.Pixel),
		Aside: !IsEveryday(clock.ID)}
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
	return l
}

func distributions(d *result.Document) picture.Drawing {
	return picture.Graph{
		Lines: percentiles(d), XLabel: "percentile of the reads (%)", XTicks: percentileTicks,
		YLabel: "time of a single read, timer included (log scale)", Word: words.Duration,
	}
}

// percentileTicks labels 1/(1-p) with p.
func percentileTicks(_, high float64) []picture.Tick {
	ticks := []picture.Tick{{Value: 2, Label: "50"}}
	for oneIn, places := 10.0, 0; oneIn <= high; oneIn, places = oneIn*10, places+1 {
		percent := strconv.FormatFloat(100-100/oneIn, 'f', max(0, places-1), 64)
		ticks = append(ticks, picture.Tick{Value: oneIn, Label: percent})
	}
	return ticks
}
