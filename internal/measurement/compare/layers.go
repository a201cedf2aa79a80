package compare

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A Layer is a part of a read: the difference between two loops.
type Layer struct {
	// Name is its name.
	Name string `json:"name" is:"named"`
	// NS is the difference of the medians; all add up to latency.median_ns.
	NS float64 `json:"ns" is:"signed"`
	// LowNS is the lower end of the interval; absent below 6 rounds.
	LowNS float64 `json:"low_ns,omitempty" is:"signed"`
	// HighNS is the upper end of the interval; absent below 6 rounds.
	HighNS float64 `json:"high_ns,omitempty" is:"signed"`
}

// Known reports whether the layer has an interval.
func (l Layer) Known() bool { return l.LowNS != 0 || l.HighNS != 0 }

// mayBeNothing reports whether the layer is not distinguishable from 0.
func (l Layer) mayBeNothing() bool { return l.Known() && l.LowNS <= 0 }

// String returns the nanoseconds, with ≈ if they are not distinguishable from 0.
func (l Layer) String() string {
	if l.mayBeNothing() {
		return "≈ " + words.NS(l.NS)
	}
	return words.NS(l.NS)
}

// LayersOf returns the layers between nested loops: rounds[i] has the time of each round of the loop that adds
// names[i]. All loops have the same number of rounds, at least one. The layers add up to medianNS, the latency over all
// rounds.
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

// scaled scales the layers to the sum totalNS, because not every round has layers.
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

// Parts returns the layers for tables and pictures: a layer of 0 ns or less is merged with the next layer, the last
// with the previous. Each part is above 0; Parts returns nil if the sum of the layers is not.
func Parts(layers []Layer) []Layer {
	i := slices.IndexFunc(layers, func(l Layer) bool { return l.NS <= 0 })
	switch {
	case i < 0:
		return layers
	case len(layers) == 1:
		return nil
	}
	i = min(i, len(layers)-2)
	return Parts(slices.Concat(layers[:i], []Layer{together(layers[i : i+2])}, layers[i+2:]))
}

// together merges layers into one. The sum of their intervals is wider than the interval of their sum.
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

// layered returns the clocks with known layers, merged by [Parts].
func layered(d *result.Document) []Clock {
	var all []Clock
	for _, c := range Of(d).Clocks {
		if c.Layers = Parts(c.Layers); c.Available && c.Latency != nil && len(c.Layers) > 0 {
			all = append(all, c)
		}
	}
	return all
}

// layerGrids returns a table for each path, with a column for each clock and a row for each layer.
func layerGrids(d *result.Document) []table.Grid {
	all := picture.Shown(layered(d))
	var grids []table.Grid
	var paths []string
	for _, c := range all {
		if slices.Contains(paths, c.Path) {
			continue
		}
		paths = append(paths, c.Path)
		of := slices.DeleteFunc(slices.Clone(all), func(other Clock) bool { return other.Path != c.Path })
		grids = append(grids, layerGrid(of, d))
	}
	return grids
}

func layerGrid(clocks []Clock, d *result.Document) table.Grid {
	const sum = "sum"
	columns := []table.Column[string]{{Name: "Layer", Left: true, Text: func(name string) string { return name }}}
	var notes []string
	for i, c := range clocks {
		if slices.ContainsFunc(c.Layers, Layer.mayBeNothing) {
			notes = []string{"≈: not distinguishable from 0."}
		}
		columns = append(columns, table.Column[string]{Name: strings.TrimSuffix(c.ID, "@"+c.Path), Spare: i,
			Cell: func(name string) string {
				if name == sum {
					return words.NS(c.Latency.MedianNS)
				}
				if k := slices.IndexFunc(c.Layers, func(l Layer) bool { return l.Name == name }); k >= 0 {
					return c.Layers[k].String()
				}
				return ""
			}})
	}
	g := table.Of("Where the time of a read goes, in ns: @"+clocks[0].Path, append(layerOrder(clocks), sum), columns)
	if userMode := clocks[0].GainNS(); userMode > 0 {
		notes = append(notes, "If the vDSO read the counter of the CPU, a read would take "+words.NS(userMode)+" ns.")
	}
	if device := latencyOf(Of(d).Clocks, "hpet@mmio"); device > 0 && currentSource(d) == "hpet" {
		notes = append(notes, "hpet@mmio, measured alone: "+words.NS(device)+" ns.")
	}
	g.Note = strings.Join(notes, " ")
	return g
}

// layerOrder returns the names of the layers of several clocks, each once, in the order of appearance.
func layerOrder(clocks []Clock) []string {
	var names []string
	for _, c := range clocks {
		for _, l := range c.Layers {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	return names
}
