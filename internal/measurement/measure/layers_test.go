package measure

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// layeredFake returns a clock with the steps "inner", "outer" and itself. innerErr is the error of opening inner, and
// opened counts how often outer was opened.
func layeredFake(id string, innerErr error, opened *int) clock.Clock {
	work := func() (clock.Reader, error) { return &script{next: count}, nil }
	c := fake(id, work)
	c.Layers = func(string) []clock.Layer {
		return []clock.Layer{
			{ID: "inner", Adds: "first", Open: func() (clock.Reader, error) {
				reader, _ := work()
				return reader, innerErr
			}},
			{ID: "outer", Adds: "second", Open: func() (clock.Reader, error) {
				*opened++
				return work()
			}},
			{ID: id, Adds: "third", Open: c.Open},
		}
	}
	return c
}

func layerNames(layers []compare.Layer) (names []string) {
	for _, l := range layers {
		names = append(names, l.Name)
	}
	return names
}

func TestLayersOfARun(t *testing.T) {
	opened := 0
	s := quick(1)
	s.Rounds = 10
	measured := ran(t, s, layeredFake("a", nil, &opened), layeredFake("b", nil, &opened), scripted("plain", count))
	require.Equal(t, 1, opened, "clocks share the loop")
	for _, c := range measured.Clocks[:2] {
		require.Equal(t, []string{"first", "second", "third"}, layerNames(c.Layers))
		sum := 0.0
		for _, l := range c.Layers {
			require.True(t, l.Known())
			sum += l.NS
		}
		require.InEpsilon(t, c.Latency.MedianNS, sum, 1e-9)
	}
	require.Empty(t, measured.Clocks[2].Layers)
}

// A loop that cannot be opened leaves a wider layer, a loop that is a clock of the run is measured once, and a loop
// that fails while it is read leaves no layers.
func TestLoopsInsideARead(t *testing.T) {
	opened := 0
	failing := scripted("a", count)
	failing.Layers = func(string) []clock.Layer {
		return []clock.Layer{
			{ID: "inner", Adds: "first",
				Open: func() (clock.Reader, error) { return &script{err: errUnplugged, fails: 1}, nil }},
			{ID: "a", Adds: "second", Open: failing.Open},
		}
	}
	for _, test := range []struct {
		clocks []clock.Clock
		want   []string
		opened int
	}{
		{[]clock.Clock{layeredFake("a", errors.New("forbidden"), &opened)}, []string{"first, second", "third"}, 1},
		{[]clock.Clock{layeredFake("a", nil, &opened), scripted("outer", count)},
			[]string{"first", "second", "third"}, 0},
		{[]clock.Clock{failing}, nil, 0},
	} {
		opened = 0
		measured := ran(t, quick(1), test.clocks...)
		require.True(t, measured.Clocks[0].Available)
		require.Equal(t, test.want, layerNames(measured.Clocks[0].Layers))
		require.Equal(t, test.opened, opened)
	}
}

// The loops have turns until the end of a run, as the clocks have: the speed of the machine changes both.
func TestLayeredRoundsAreSpreadEvenly(t *testing.T) {
	for _, rounds := range []int{1, 6, layeredRounds, layeredRounds + 1, 700} {
		layered, last := 0, 0
		for round := range rounds {
			if (Settings{Rounds: rounds}).layered(round) {
				layered, last = layered+1, round
			}
		}
		require.Equal(t, min(rounds, layeredRounds), layered)
		require.GreaterOrEqual(t, last, rounds-rounds/layeredRounds-1)
	}
}
