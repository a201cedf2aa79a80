package compare

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var parts = []string{"call and return", "read the counter", "in order", "convert"}

// nestedRounds returns the times of nested loops in some rounds: each adds a cost with its own noise, and the speed of
// a round affects all loops alike.
func nestedRounds(random *rand.Rand, costs []float64) [][]float64 {
	const rounds = 60
	loops := make([][]float64, len(costs))
	for range rounds {
		speed := 1 + 0.1*random.Float64()
		ns := 0.0
		for i, cost := range costs {
			ns += cost
			loops[i] = append(loops[i], speed*ns*(1+0.002*random.Float64()))
		}
	}
	return loops
}

func median(loop []float64) float64 {
	sorted := slices.Sorted(slices.Values(loop))
	return (sorted[len(sorted)/2-1] + sorted[len(sorted)/2]) / 2
}

// A cost that is added to one layer appears in that layer and in no other.
func TestAPlantedCostAppearsInItsLayerOnly(t *testing.T) {
	const added = 5
	random := rand.New(rand.NewPCG(1, 2))
	costs := []float64{1.4, 8.1, 8.4, 3.8}
	for range 10 {
		for planted := range costs {
			slower := slices.Clone(costs)
			slower[planted] += added
			rounds := nestedRounds(random, slower)
			layers := LayersOf(parts, rounds, median(rounds[3]))
			sum := 0.0
			for i, l := range layers {
				require.Equal(t, parts[i], l.Name)
				require.True(t, l.LowNS <= l.NS && l.NS <= l.HighNS)
				// The speed adds 0 to 10 % in every layer, and the noise 0.2 % of the whole.
				require.InDelta(t, 1.05*slower[i], l.NS, 0.5, "%s, planted in %s", l.Name, parts[planted])
				sum += l.NS
			}
			require.InDelta(t, median(rounds[3]), sum, 1e-9)
		}
	}
}

// Layers that are not distinguishable are one part.
func TestPartsThatCannotBeToldApart(t *testing.T) {
	call, order := Layer{"call", 2, 1.9, 2.1}, Layer{"in order", -1, -1.2, -0.8}
	convert := Layer{"convert", 4, 3.5, 4.5}
	require.Equal(t, []Layer{call, {"in order, convert", 3, 2.3, 3.7}},
		Parts([]Layer{call, order, convert}))
	require.Equal(t, []Layer{{"call, in order", 1, 0.7, 1.3}}, Parts([]Layer{call, order})[:1])
	require.Empty(t, Parts(nil))
	less := Layer{"less", -3, -3.5, -2.5}
	require.Equal(t, []Layer{{"convert, call, less", 3, 1.9, 4.1}},
		Parts([]Layer{convert, call, less}))
	require.Empty(t, Parts([]Layer{call, less}), "all together take no time")
}
