package compare

import (
	"math/bits"
	"strconv"

	"github.com/timebench/timebench/internal/show/table"
)

// ThreadColumns returns a column for each number of threads, in ascending order. oversubscribed reports whether there
// were more threads than CPUs; such a column is marked. cell returns the cell of a row, empty without a figure.
//
// In a narrow table, the first and the last number stay, and the last that is not oversubscribed. Of the others, powers
// of two and smaller numbers stay longer, because contention begins there.
func ThreadColumns[T any](counts []int, oversubscribed func(threads int) bool,
	cell func(row T, threads int) string) []table.Column[T] {
	withCPUs := 0
	for i, threads := range counts {
		if !oversubscribed(threads) {
			withCPUs = i
		}
	}
	columns := make([]table.Column[T], len(counts))
	for i, threads := range counts {
		c := &columns[i]
		if c.Name = strconv.Itoa(threads); oversubscribed(threads) {
			c.Name += "*"
		}
		c.Cell = func(row T) string { return cell(row, threads) }
		switch {
		case i == 0 || i == withCPUs || i == len(counts)-1:
		case bits.OnesCount(uint(threads)) == 1:
			c.Spare = 2 + i
		default:
			c.Spare = 2 + len(counts) + i
		}
	}
	return columns
}

// OversubscribedNote explains the mark of a number of threads.
const OversubscribedNote = "* oversubscribed: more threads than CPUs; the time includes waiting for a CPU."
