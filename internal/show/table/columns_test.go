package table

import (
	"strconv"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
)

// byThreads has a column for each number of threads, some of which have a CPU each.
func byThreads(cpus int, threads ...int) Grid {
	g := Grid{Title: "By threads", Header: []string{"Clock"}, Rows: [][]string{{"c"}}}
	for _, n := range threads {
		g.Optional = append(g.Optional, Optional{Column: len(g.Header), Number: n, Oversubscribed: n > cpus})
		g.Header = append(g.Header, strconv.Itoa(n))
		g.Rows[0] = append(g.Rows[0], "ns "+strconv.Itoa(n))
	}
	g.Header, g.Rows[0] = append(g.Header, "total"), append(g.Rows[0], "all")
	return g
}

// upTo returns the numbers from 1 to most.
func upTo(most int) []int {
	all := make([]int, most)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// The ends stay, the last that has CPUs, and the smaller powers of two.
func TestColumnsAreLeftOutWhereThereIsNoRoom(t *testing.T) {
	g := byThreads(2, upTo(24)...)
	narrow := g.AtMost(5)
	require.Equal(t, []string{"Clock", "1", "2", "4", "8", "24", "total"}, narrow.Header)
	require.Equal(t, []string{"c", "ns 1", "ns 2", "ns 4", "ns 8", "ns 24", "all"}, narrow.Rows[0])
	require.Equal(t, "Some numbers of threads are left out here; CSV and JSON have all.", narrow.Note)
	g.Note = "Of a quiet machine."
	require.Equal(t, "Of a quiet machine.\n"+narrow.Note, g.AtMost(3).Note)
	require.Equal(t, []string{"Clock", "1", "2", "24", "total"}, g.AtMost(3).Header)
	require.Len(t, g.Header, 26, "the grid itself is as it was")
	require.Equal(t, byThreads(2, upTo(5)...), byThreads(2, upTo(5)...).AtMost(5))
	require.Equal(t, Grid{Header: []string{"Clock"}}, Grid{Header: []string{"Clock"}}.AtMost(5))
}

// Add a row for each choice among numbers of threads that was odd.
func TestColumnsThatAreKept(t *testing.T) {
	for _, test := range []struct {
		cpus    int
		threads []int
		most    int
		want    []string
	}{
		{64, []int{1, 2, 4, 8, 16, 32, 64, 128}, 5, []string{"1", "2", "4", "64", "128"}},
		{64, upTo(64), 8, []string{"1", "2", "3", "4", "8", "16", "32", "64"}},
		{48, upTo(96), 6, []string{"1", "2", "4", "8", "48", "96"}},
		{1, []int{10, 20, 30, 40, 50, 60}, 4, []string{"10", "20", "30", "60"}},
		{99, []int{24, 96, 97, 98, 99}, 3, []string{"24", "96", "99"}},
	} {
		header := byThreads(test.cpus, test.threads...).AtMost(test.most).Header
		require.Equal(t, test.want, header[1:len(header)-1], "%+v", test)
	}
}

// Another column would not fit.
func TestAsManyColumnsAreKeptAsFit(t *testing.T) {
	for of := 4; of <= 256; of += 28 {
		for _, cell := range []string{"1", "25.0", "1,234.5", "1,234,567.8"} {
			g := byThreads(of/2, upTo(of)...)
			for i := range g.Header {
				g.Rows[0][i] = cell
			}
			narrow := g.fitting(Width)
			kept := len(narrow.Header) - 2
			require.GreaterOrEqual(t, kept, fewestColumns)
			require.LessOrEqual(t, text.LongestLineLen(narrow.Text()), Width)
			if kept < of {
				require.Greater(t, text.LongestLineLen(g.AtMost(kept+1).Text()), Width, "%d of %d columns of %q", kept, of, cell)
			}
		}
	}
}
