package watch

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

// turns feeds pairs of a cost and a floor, and returns the numbers of the turns that were changes.
func turns(b *baseline, pairs ...[2]float64) (changes []int) {
	for i, p := range pairs {
		if _, _, changed := b.next(p[0], p[1]); changed {
			changes = append(changes, i)
		}
	}
	return changes
}

func times(n int, cost, floor float64) (pairs [][2]float64) {
	for range n {
		pairs = append(pairs, [2]float64{cost, floor})
	}
	return pairs
}

func TestChangesOfACost(t *testing.T) {
	for name, c := range map[string]struct {
		pairs   [][2]float64
		changes []int
	}{
		"one turn of many":           {[][2]float64{{20, 2}, {20, 2}, {20, 2}, {20, 2}, {60, 2}, {20, 2}, {60, 2}, {20, 2}}, nil},
		"a little":                   {append(times(5, 20, 2), times(5, 39, 2)...), nil},
		"the CPU is shared":          {append(times(5, 20, 2), times(5, 56, 3.4)...), nil},
		"the CPU is free again":      {append(times(5, 56, 3.4), times(5, 20, 2)...), nil},
		"up and down":                {[][2]float64{{20, 2}, {20, 2}, {20, 2}, {60, 2}, {5, 2}, {60, 2}, {5, 2}}, nil},
		"noise that was seen before": {append(append(times(4, 20, 2), times(1, 39, 2)...), times(5, 42.5, 2)...), nil},
		"too early to tell":          {[][2]float64{{20, 2}, {80, 2}, {80, 2}}, nil},
		"without a floor":            {append(times(5, 20, 0), times(5, 41, 0)...), []int{7}},
	} {
		require.Equal(t, c.changes, turns(&baseline{}, c.pairs...), name)
	}
}

// A day of turns of a noisy machine has no change, and a read that is twice as slow is seen in it.
func TestNoiseIsNoChange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var b baseline
	noisy := func(cost float64) [2]float64 {
		cpu := 1 + 0.3*random.Float64() // of the speed of the CPU
		return [2]float64{cost * cpu * (1 + 0.1*random.Float64()), 2 * cpu}
	}
	for range 2880 {
		require.Empty(t, turns(&b, noisy(20)))
	}
	require.Len(t, b.costs, maxHistory)
	require.Equal(t, []int{2}, turns(&b, noisy(60), noisy(60), noisy(60)))
}

// A slowed Reader makes factor reads for each read.
type slowed struct {
	clock.Reader
	factor *int
}

func (s slowed) Spin(n int) { s.Reader.Spin(n * *s.factor) }

// BenchmarkAlarms takes turns, and reports the share of turns with a false change of a cost, and after how many turns a
// threefold cost of all clocks is noticed.
func BenchmarkAlarms(b *testing.B) {
	factor := 1
	clocks := clock.Default()
	for i := range clocks {
		open := clocks[i].Open
		clocks[i].Open = func() (clock.Reader, error) {
			reader, err := open()
			return slowed{reader, &factor}, err
		}
	}
	r := newReader(clocks)
	baselines := make([]baseline, len(clocks))
	turn := func() (changed int) {
		l := r.snapshot()
		for i, c := range l.clocks {
			if c.Latency != nil {
				if _, _, moved := baselines[i].next(c.Latency.CostNS(), l.floorNS); moved {
					changed++
				}
			}
		}
		return changed
	}
	turns, alarms := 0, 0
	for b.Loop() {
		turns++
		alarms += min(1, turn())
	}
	b.ReportMetric(100*float64(alarms)/float64(turns), "%-false-alarms")
	factor = 3
	noticed, after := 0, 0
	for ; noticed < len(clocks) && after < 20; after++ {
		noticed += turn()
	}
	require.Positive(b, noticed, "three times the cost")
	b.ReportMetric(float64(after), "turns-to-notice")
}
