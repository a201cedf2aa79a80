package drift

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// waves returns noise in which each value keeps this share of the previous one, plus white
// noise.
func waves(keeps, white float64) func(*rand.Rand, int) []float64 {
	return func(random *rand.Rand, n int) []float64 {
		values := make([]float64, n)
		wave := random.NormFloat64() / math.Sqrt(1-keeps*keeps)
		for i := range values {
			wave = keeps*wave + random.NormFloat64()
			values[i] = wave + white*random.NormFloat64()
		}
		return values
	}
}

// seen returns the share of 400 runs in which the true slope was in the interval, and the
// width of the intervals relative to the spread of the slopes.
func seen(n int, noise func(*rand.Rand, int) []float64) (held, width float64) {
	const runs, slope = 400, 50.0
	margins, squares := 0.0, 0.0
	for seed := range uint64(runs) {
		random := rand.New(rand.NewPCG(seed, 7))
		y := noise(random, n)
		x := make([]float64, n)
		for i := range x {
			x[i] = (float64(i) + random.Float64()) / float64(n)
			y[i] += slope * x[i]
		}
		l := through(x, y)
		if math.Abs(l.slope-slope) <= l.margin {
			held++
		}
		margins += l.margin
		squares += (l.slope - slope) * (l.slope - slope)
	}
	return held / runs, margins / runs / (1.96 * math.Sqrt(squares/runs))
}

func TestIntervalsHoldTheTrueSlope(t *testing.T) {
	for _, test := range []struct {
		name  string
		n     int
		noise func(*rand.Rand, int) []float64
		width float64
	}{
		{"white", 20, waves(0, 0), 2.5},
		{"white", 100, waves(0, 0), 2.5},
		{"white", 1000, waves(0, 0), 2},
		{"outliers", 300, func(random *rand.Rand, n int) []float64 {
			values := make([]float64, n)
			for i := range values {
				values[i] = random.NormFloat64()
				if random.Float64() < 0.02 {
					values[i] += 100 * random.Float64()
				}
			}
			return values
		}, 2.5},
		{"waves", 300, waves(0.5, 0), 3},
		{"waves", 1000, waves(0.9, 0), 3},
		{"long waves", 1000, waves(0.97, 0), 5},
		{"waves under white noise", 1000, waves(0.97, 3), 5},
		{"waves longer than the run's tenth", 1000, waves(0.99, 0), 12},
	} {
		held, width := seen(test.n, test.noise)
		require.GreaterOrEqual(t, held, 0.93, "%s, %d", test.name, test.n)
		require.Less(t, width, test.width, "%s, %d: an interval that is too wide to say anything", test.name, test.n)
	}
}
