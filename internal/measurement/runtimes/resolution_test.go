package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A step that another program delayed is several ticks: one step, or steps of different lengths, show no resolution.
func TestResolutionNeedsThreeTicks(t *testing.T) {
	for name, test := range map[string]struct {
		stepsNS []float64
		want    float64
	}{
		"one":                 {[]float64{188e6}, 0},
		"two":                 {[]float64{4e6, 4e6}, 0},
		"two, and a long one": {[]float64{4e6, 188e6, 4e6}, 0},
		"three":               {[]float64{4e6, 188e6, 4e6, 88e6, 4e6}, 4e6},
		"backwards":           {[]float64{4e6, -4e6, 4e6}, 0},
	} {
		r := resolution(true, test.stepsNS, stepsTime)
		require.Equal(t, test.want, r.TickNS, name)
		if test.want == 0 {
			require.Equal(t, "unknown", compare.Tick(r), name)
		}
	}
}
