package compare

import (
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/show/table"
)

// threadsOf returns the numbers of threads with a figure of any row, in ascending order, and which of them exceed the
// number of CPUs.
func threadsOf[T any](rows []T, of func(T) []Throughput) (counts []int, oversubscribed map[int]bool) {
	oversubscribed = map[int]bool{}
	for _, row := range rows {
		for _, t := range of(row) {
			oversubscribed[t.Threads] = oversubscribed[t.Threads] || t.Oversubscribed
		}
	}
	return slices.Sorted(maps.Keys(oversubscribed)), oversubscribed
}

// with returns the figure of a number of threads; nil without one.
func with(threads int, of []Throughput) *Throughput {
	if i := slices.IndexFunc(of, func(t Throughput) bool { return t.Threads == threads }); i >= 0 {
		return &of[i]
	}
	return nil
}

// ThreadColumns returns a column for each number of threads with a figure of any row, in ascending order; text is the
// cell of a figure. note explains the mark of columns with more threads than CPUs, if there are any.
//
// In a narrow table, the first and the last number stay, and the last that is not oversubscribed. Of the others, powers
// of two and smaller numbers stay longer, because contention begins there.
func ThreadColumns[T any](rows []T, of func(T) []Throughput, text func(*Throughput) string) (
	columns []table.Column[T], note string) {
	counts, oversubscribed := threadsOf(rows, of)
	withCPUs := 0
	for i, threads := range counts {
		if !oversubscribed[threads] {
			withCPUs = i
		}
	}
	for i, threads := range counts {
		c := table.Column[T]{Name: strconv.Itoa(threads),
			Cell: table.Within(func(row T) *Throughput { return with(threads, of(row)) }, "")(text)}
		if oversubscribed[threads] {
			c.Name += "*"
			note = "* oversubscribed: more threads than CPUs; the time includes waiting for a CPU."
		}
		switch {
		case i == 0 || i == withCPUs || i == len(counts)-1:
		case bits.OnesCount(uint(threads)) == 1:
			c.Spare = 2 + i
		default:
			c.Spare = 2 + len(counts) + i
		}
		columns = append(columns, c)
	}
	return columns, note
}
