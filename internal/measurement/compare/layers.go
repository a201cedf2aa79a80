package compare

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/words"
)

// A Layer is a part of a read: the difference between two loops.
type Layer struct {
	// Name is its name.
	Name string `json:"name" is:"named"`
	// NS is the difference of the medians; together latency.median_ns.
	NS float64 `json:"ns" is:"signed"`
	// LowNS is an end of the interval.
	LowNS float64 `json:"low_ns,omitempty" is:"signed"`
	// HighNS is an end of the interval.
	HighNS float64 `json:"high_ns,omitempty" is:"signed"`
}

// Known reports whether the layer has an interval.
func (l Layer) Known() bool { return l.LowNS != 0 || l.HighNS != 0 }

// Significant reports whether the layer is known to be more than nothing.
func (l Layer) Significant() bool { return l.Known() && l.LowNS > 0 }

// String returns the nanoseconds, with a mark if they may be nothing.
func (l Layer) String() string {
	if l.Known() && !l.Significant() {
		return "≈ " + words.NS(l.NS)
	}
	return words.NS(l.NS)
}

// LayersOf returns the layers between nested loops, from their times in each round: rounds[i] are those of the loop that
// adds names[i]. The loops have the same number of rounds, at least one. The layers add up to medianNS, the latency over
// all rounds.
func LayersOf(names []string, rounds [][]float64, medianNS float64) []Layer {
	layers := make([]Layer, len(names))
	inside := make([]float64, len(rounds[0]))
	insideNS := 0.0
	for i, name := range names {
		added := make([]float64, len(inside))
		for j := range added {
			added[j] = rounds[i][j] - inside[j]
		}
		loopNS := stats.Median(rounds[i])
		between := stats.Summarize(added)
		layers[i] = Layer{Name: name, NS: loopNS - insideNS}
		if between.Confidence > 0 {
			layers[i].LowNS, layers[i].HighNS = min(between.Low, layers[i].NS), max(between.High, layers[i].NS)
		}
		inside, insideNS = rounds[i], loopNS
	}
	return scaled(layers, medianNS)
}

// scaled returns the layers with the sum totalNS: the rounds with layers may be part of all rounds.
func scaled(layers []Layer, totalNS float64) []Layer {
	sum := sumNS(layers)
	if sum <= 0 {
		return nil
	}
	for i := range layers {
		l := &layers[i]
		l.NS, l.LowNS, l.HighNS = l.NS*totalNS/sum, l.LowNS*totalNS/sum, l.HighNS*totalNS/sum
	}
	return layers
}

func sumNS(layers []Layer) (sum float64) {
	for _, l := range layers {
		sum += l.NS
	}
	return sum
}

// joinLayers returns the layers of several runs of a clock with the joined latency: the mean of the runs, between the ends
// of all intervals. There are none if a run lacks one.
func joinLayers(runs [][]Layer, latency *Latency) []Layer {
	if latency == nil || len(runs) == 0 {
		return nil
	}
	joined := slices.Clone(runs[0])
	for _, layers := range runs[1:] {
		if !slices.EqualFunc(joined, layers, func(a, b Layer) bool { return a.Name == b.Name && a.Known() == b.Known() }) {
			return nil
		}
		for i, l := range layers {
			j := &joined[i]
			j.NS, j.LowNS, j.HighNS = j.NS+l.NS, min(j.LowNS, l.LowNS), max(j.HighNS, l.HighNS)
		}
	}
	for i := range joined {
		j := &joined[i]
		j.NS /= float64(len(runs))
	}
	return scaled(joined, latency.MedianNS)
}

// Parts returns the layers of a clock that can be told apart, for people: a layer without a cost of its own is joined with
// the next one, the last with the one before. Each part is above 0; there are none if all together are not.
func Parts(layers []Layer) []Layer {
	var parts []Layer
	var waiting []Layer
	for _, l := range layers {
		waiting = append(waiting, l)
		if joined := together(waiting); joined.NS > 0 {
			parts, waiting = append(parts, joined), nil
		}
	}
	if len(parts) == 0 {
		return nil
	}
	last := together(append(parts[len(parts)-1:], waiting...))
	parts = parts[:len(parts)-1]
	for last.NS <= 0 && len(parts) > 0 {
		last = together([]Layer{parts[len(parts)-1], last})
		parts = parts[:len(parts)-1]
	}
	if last.NS <= 0 {
		return nil
	}
	return append(parts, last)
}

// together returns layers as one. The sum of their intervals is wider than the interval of their sum.
func together(layers []Layer) Layer {
	names := make([]string, len(layers))
	var sum Layer
	for i, l := range layers {
		names[i] = l.Name
		sum.NS, sum.LowNS, sum.HighNS = sum.NS+l.NS, sum.LowNS+l.LowNS, sum.HighNS+l.HighNS
	}
	sum.Name = strings.Join(names, ", ")
	return sum
}
