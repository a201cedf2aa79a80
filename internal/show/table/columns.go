package table

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// How many of its optional columns a grid keeps: at most on a page, which scrolls sideways, and at
// least in text, even if it is too wide.
const (
	PageColumns   = 12
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

// AtMost returns the grid with so many of its optional columns at most, which is 3 or more.
func (g Grid) AtMost(most int) Grid {
	if len(g.Optional) <= most {
		return g
	}
	leftOut := make([]bool, len(g.Header))
	for i, kept := range chosen(g.Optional, most) {
		leftOut[g.Optional[i].Column] = !kept
	}
	narrow := g.without(leftOut)
	narrow.Optional = nil
	narrow.Note = strings.TrimPrefix(g.Note+"\nSome numbers of threads are left out here; CSV and JSON have all.", "\n")
	return narrow
}

// without returns the grid without the columns that are left out, and without the rows that had figures only there.
func (g Grid) without(leftOut []bool) Grid {
	narrow := g
	narrow.Header, narrow.Rows, narrow.Levels, narrow.Spare = without(g.Header, leftOut), nil, nil, nil
	before := 0 // columns that are left out before the one in hand
	for column, out := range leftOut {
		if slices.Contains(g.Spare, column) && !out {
			narrow.Spare = append(narrow.Spare, column-before)
		}
		if out {
			before++
			if column < g.Texts {
				narrow.Texts--
			}
		}
	}
	for i, row := range g.Rows {
		rest := without(row, leftOut)
		if !hasFigures(rest, narrow.Texts) && hasFigures(row, g.Texts) {
			continue
		}
		narrow.Rows = append(narrow.Rows, rest)
		if g.Levels != nil {
			narrow.Levels = append(narrow.Levels, g.Levels[i])
		}
	}
	return narrow
}

func hasFigures(cells []string, texts int) bool {
	return slices.ContainsFunc(cells[max(1, texts):], func(cell string) bool { return cell != "" && cell != "-" })
}

func without(cells []string, leftOut []bool) []string {
	var rest []string
	for i, cell := range cells {
		if !leftOut[i] {
			rest = append(rest, cell)
		}
	}
	return rest
}

// fitting returns the grid with as many optional columns as fit a width.
func (g Grid) fitting(width int) Grid {
	perWidth := width / 3 // a column has a digit and two spaces
	for most := min(len(g.Optional), perWidth); most > fewestColumns; most-- {
		if narrow := g.AtMost(most); text.LongestLineLen(narrow.Text()) <= width {
			return narrow
		}
	}
	return g.AtMost(fewestColumns)
}

// chosen returns which columns to keep, which are fewer than all: the first, the last, and the last that is not
// oversubscribed; then the powers of two and the other numbers, the smaller ones first, because contention begins there.
func chosen(all []Optional, most int) []bool {
	withCPUs := 0
	for i, o := range all {
		if !o.Oversubscribed {
			withCPUs = i
		}
	}
	rank := func(i int) int {
		switch {
		case i == 0 || i == withCPUs || i == len(all)-1:
			return 0
		case bits.OnesCount(uint(all[i].Number)) == 1:
			return 1
		default:
			return 2
		}
	}
	kept := make([]bool, len(all))
	for ranked := range 3 {
		for i := range all {
			if rank(i) == ranked && most > 0 {
				kept[i], most = true, most-1
			}
		}
	}
	return kept
}
