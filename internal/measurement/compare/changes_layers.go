package compare

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A LayerChange is a part of a read in both documents.
type LayerChange struct {
	// Name is that of the [Layer].
	Name string `json:"name"`
	// OldNS and NewNS are the parts of the medians of a read. They have no verdict: a run does not show by how much
	// the parts of others differ.
	OldNS float64 `json:"old_ns"`
	NewNS float64 `json:"new_ns"`
}

// addLayers adds the layers of the clocks whose latency differs, where both documents have the same ones.
func (d *Changes) addLayers(old, new *result.Document) {
	layers := func(of *result.Document, id string) []Layer {
		clocks := Of(of).Clocks
		if i := slices.IndexFunc(clocks, func(c Clock) bool { return c.ID == id }); i >= 0 {
			return clocks[i].Layers
		}
		return nil
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Threads > 0 || c.ClockSource != "" || c.Verdict != Slower && c.Verdict != Faster {
			continue
		}
		before, after := layers(old, c.Subject), layers(new, c.Subject)
		if !slices.EqualFunc(before, after, func(a, b Layer) bool { return a.Name == b.Name }) {
			continue
		}
		for k, l := range before {
			c.Layers = append(c.Layers, LayerChange{l.Name, l.NS, after[k].NS})
		}
	}
}

// layersGrid has a row for each layer of the clocks whose latency differs.
func layersGrid(d *Changes, w Wording) table.Grid {
	g := w.grid("Where the difference is, in "+w.Unit+" (parts of the medians)", "layer", "old", "new", "difference")
	g.Texts = 2
	for _, c := range byChange(d) {
		for _, l := range c.Layers {
			g.Rows = append(g.Rows, []string{c.Name(), l.Name, words.NS(l.OldNS), words.NS(l.NewNS), words.SignedDuration(l.NewNS - l.OldNS)})
		}
	}
	return g
}
