package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// How many of its optional columns a grid keeps at most: in text and in Markdown, on a page,
// which scrolls sideways, and in text that would otherwise be wider than Width.
const (
	mostColumns   = 5
	PageColumns   = 8
	fewestColumns = 3
)

// An Optional is a column of a Grid that a format may leave out.
type Optional struct {
	// Column is its index.
	Column int
	// Number is what it is of: a number of threads, more in each column than in the one
	// before.
	Number int
	// Oversubscribed says that there were more threads than CPUs.
	Oversubscribed bool
}

// AtMost returns the grid with so many of its optional columns at most, which is 3 or more:
// the first, the last, the last that is not oversubscribed, and those nearest to equal
// ratios between.
func (g Grid) AtMost(most int) Grid {
	kept := chosen(g.Optional, most)
	if len(kept) == len(g.Optional) {
		return g
	}
	leftOut := func(i int) bool {
		is := func(o Optional) bool { return o.Column == i }
		return slices.ContainsFunc(g.Optional, is) && !slices.ContainsFunc(kept, is)
	}
	narrow := g
	narrow.Header, narrow.Rows, narrow.Optional = without(g.Header, leftOut), nil, nil
	for _, row := range g.Rows {
		narrow.Rows = append(narrow.Rows, without(row, leftOut))
	}
	if g.LeftOut != "" {
		narrow.Note = strings.TrimPrefix(g.Note+"\n"+g.LeftOut, "\n")
	}
	return narrow
}

// without returns the cells without those of the columns that are left out.
func without(cells []string, leftOut func(column int) bool) []string {
	var rest []string
	for i, cell := range cells {
		if !leftOut(i) {
			rest = append(rest, cell)
		}
	}
	return rest
}

// fitting returns the grid with as many optional columns as fit Width.
func (g Grid) fitting() Grid {
	for most := mostColumns; ; most-- {
		narrow := g.AtMost(most)
		if most == fewestColumns || text.LongestLineLen(narrow.Text()) <= Width {
			return narrow
		}
	}
}

func chosen(all []Optional, most int) []Optional {
	if len(all) <= most {
		return all
	}
	first, last := all[0], all[len(all)-1]
	kept := []Optional{first, last}
	for _, o := range all {
		if !o.Oversubscribed {
			kept = append(kept[:2:2], o)
		}
	}
	ratio := math.Pow(float64(last.Number)/float64(first.Number), 1/float64(most-1))
	for wanted := float64(first.Number) * ratio; len(kept) < most && wanted < float64(last.Number); wanted *= ratio {
		nearest := slices.MinFunc(all, func(a, b Optional) int {
			return cmp.Compare(math.Abs(float64(a.Number)-wanted), math.Abs(float64(b.Number)-wanted))
		})
		if !slices.Contains(kept, nearest) {
			kept = append(kept, nearest)
		}
	}
	slices.SortFunc(kept, func(a, b Optional) int { return cmp.Compare(a.Column, b.Column) })
	return slices.Compact(kept)
}
