package table

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// byThreads has a column for each number of threads up to most, two of which have a CPU.
func byThreads(most int) Grid {
	g := Grid{Title: "By threads", Header: []string{"Clock"}, LeftOut: "There are more.", Rows: [][]string{{"c"}}}
	for n := 1; n <= most; n++ {
		g.Optional = append(g.Optional, Optional{Column: len(g.Header), Number: n, Oversubscribed: n > 2})
		g.Header = append(g.Header, strconv.Itoa(n))
		g.Rows[0] = append(g.Rows[0], "ns "+strconv.Itoa(n))
	}
	g.Header, g.Rows[0] = append(g.Header, "total"), append(g.Rows[0], "all")
	return g
}

// The ends stay, the last that has CPUs, and steps of like ratio.
func TestColumnsAreLeftOutWhereThereIsNoRoom(t *testing.T) {
	g := byThreads(24)
	narrow := g.AtMost(5)
	require.Equal(t, []string{"Clock", "1", "2", "5", "11", "24", "total"}, narrow.Header)
	require.Equal(t, []string{"c", "ns 1", "ns 2", "ns 5", "ns 11", "ns 24", "all"}, narrow.Rows[0])
	require.Equal(t, "There are more.", narrow.Note)
	g.Note = "Of a quiet machine."
	require.Equal(t, "Of a quiet machine.\nThere are more.", g.AtMost(3).Note)
	require.Equal(t, []string{"Clock", "1", "2", "24", "total"}, g.AtMost(3).Header)
	require.Len(t, g.Header, 26, "the grid itself is as it was")
	require.Equal(t, byThreads(5), byThreads(5).AtMost(5))
	require.Equal(t, Grid{Header: []string{"Clock"}}, Grid{Header: []string{"Clock"}}.AtMost(5))
}

func TestColumnsMakeRoomForText(t *testing.T) {
	g := byThreads(5)
	require.Equal(t, g, g.fitting())
	g.Rows = slices.Repeat([][]string{{"a name of more than ninety characters, which leaves no room for all five columns of threads", "1,000.1", "2", "3", "4", "5", "all of them"}}, 2)
	require.Less(t, len(g.fitting().Header), len(g.Header))
}
