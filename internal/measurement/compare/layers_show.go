package compare

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// layered returns the clocks of which the layers are known, with those that can be told apart.
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

// layerGrid returns the table of clocks of one path, at least one.
func layerGrid(clocks []Clock, d *result.Document) table.Grid {
	g := table.Grid{Title: "Where the time of a read goes, in ns: @" + clocks[0].Path, Header: []string{"Layer"}}
	for i, c := range clocks {
		g.Header = append(g.Header, strings.TrimSuffix(c.ID, "@"+c.Path))
		if i > 0 {
			g.Spare = append([]int{i + 1}, g.Spare...)
		}
	}
	for _, name := range layerOrder(clocks) {
		row := []string{name}
		for _, c := range clocks {
			cell := "-"
			if i := slices.IndexFunc(c.Layers, func(l Layer) bool { return l.Name == name }); i >= 0 {
				cell = c.Layers[i].String()
			}
			if strings.HasPrefix(cell, "≈") {
				g.Note = "≈: not distinguishable from 0."
			}
			row = append(row, cell)
		}
		g.Rows = append(g.Rows, row)
	}
	sums := []string{"sum"}
	for _, c := range clocks {
		sums = append(sums, words.NS(c.Latency.MedianNS))
	}
	g.Rows = append(g.Rows, sums)
	if userMode := clocks[0].GainNS(); userMode > 0 {
		g.Note = strings.TrimSpace(g.Note + " If the vDSO read the counter of the CPU, a read would take " + words.NS(userMode) + " ns.")
	}
	if device := latencyOf(Of(d).Clocks, "hpet@mmio"); device > 0 && currentSource(d) == "hpet" {
		g.Note = strings.TrimSpace(g.Note + " hpet@mmio, measured alone: " + words.NS(device) + " ns.")
	}
	return g
}

// layerOrder returns the names of the layers of several clocks, each once, in the order in which they come.
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
