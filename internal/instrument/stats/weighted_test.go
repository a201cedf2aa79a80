package stats

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// weighted returns samples with weights of 1, or those given.
func weighted(samples []float64, weights ...float64) *Weighted {
	w := &Weighted{}
	for i, sample := range samples {
		weight := 1.0
		if weights != nil {
			weight = weights[i]
		}
		w.Add(sample, weight)
	}
	return w
}

func interval(w *Weighted) []float64 {
	mean, low, high := w.Interval(0.95, 1)
	return []float64{mean, low, high}
}

// The interval of R's t.test(sleep$extra[1:10]).
func TestWeightedIsStudents(t *testing.T) {
	samples := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	require.InDeltaSlice(t, []float64{0.75, -0.5297804, 2.0297804}, interval(weighted(samples)), 1e-6)
	require.Equal(t, 10, weighted(samples).N)
}

func TestWeights(t *testing.T) {
	var samples, unequal, sevens []float64
	for range 10 {
		samples, unequal, sevens = append(samples, 1, 2, 4, 3), append(unequal, 5, 5, 1, 1), append(sevens, 7, 7, 7, 7)
	}
	require.InDeltaSlice(t, interval(weighted(samples)), interval(weighted(samples, sevens...)), 1e-9, "only their proportion counts")
	mean, low, high := weighted(samples, unequal...).Interval(0.95, 1)
	require.InDelta(t, 22./12, mean, 1e-9)
	// The variance with these weights is 0.8056, 40 such weights are worth 27.69 equal ones, and t(26.69) is 2.053.
	require.InDelta(t, 22./12-0.3566, low, 2e-4)
	require.InDelta(t, 22./12+0.3566, high, 2e-4)
	require.Equal(t, []float64{1, 2}, interval(weighted([]float64{1, 2}, 1000, 1))[1:], "hardly more than one sample")
	require.Equal(t, []float64{5, 5, 5}, interval(weighted([]float64{5})))
}

// Few groups of many samples say as little of the next group as few samples.
func TestGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	w := &Weighted{}
	for range 100 {
		w.Add(random.Float64(), 1)
	}
	_, low, high := w.Interval(0.95, 1)
	_, lowOfGroup, highOfGroup := w.Interval(0.95, 25)
	require.Greater(t, highOfGroup-lowOfGroup, 5*(high-low))
	_, lowest, highest := w.Interval(0.95, 100)
	require.Less(t, lowest, 0.1)
	require.Greater(t, highest, 0.9)
}

// Equal samples have an interval without a width, with any weights: no rounding error makes it invalid.
func TestEqualSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		sample, w := random.Float64()/100, &Weighted{}
		for range 50 {
			w.Add(sample, float64(1+random.IntN(300)))
		}
		require.Equal(t, []float64{sample, sample, sample}, interval(w))
	}
}

// Of two values in any proportion, as a cost that is one or the other, it covers the mean as often as it says, with unequal
// weights too.
func TestWeightedCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials, n = 4000, 50
	for _, share := range []float64{0.2, 0.5} {
		covered := 0
		for range trials {
			w := &Weighted{}
			for range n {
				sample := 240.0
				if random.Float64() < share {
					sample = 300
				}
				w.Add(sample, 1+2*random.Float64())
			}
			_, low, high := w.Interval(0.95, 1)
			if mean := 240 + share*60; low <= mean && mean <= high {
				covered++
			}
		}
		require.InDelta(t, 0.95, float64(covered)/trials, 0.03, "%g of the samples", share)
	}
}
