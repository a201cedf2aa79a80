package stats

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// levels takes pairs of a level and a number of samples.
func levels(at ...float64) (samples []float64) {
	for i := 0; i < len(at); i += 2 {
		samples = append(samples, slices.Repeat(at[i:i+1], int(at[i+1]))...)
	}
	return samples
}

func TestLevel(t *testing.T) {
	for name, test := range map[string]struct {
		samples []float64
		want    float64
	}{
		"one sample":                           {[]float64{7}, 7},
		"all alike":                            {levels(20, 100), 20},
		"turbo mode for an eighth of the time": {levels(19, 12, 20, 88), 20},
		"disturbed for three quarters":         {levels(20, 25, 30, 75), 20},
		"disturbed, at a level of many":        {levels(20, 5, 20.1, 20, 40, 75), 20.1},
		"a low one by accident":                {levels(3, 1, 20, 9), 20},
		"the median of the level": {[]float64{100, 100.2, 100.4, 100.6, 100.8, 150, 150, 150, 150, 150},
			100.4},
		"no level: what is closest together": {[]float64{100, 110, 121, 123, 150, 170, 190, 210, 240, 270}, 122},
		"two samples":                        {[]float64{10, 20}, 15},
	} {
		require.Equal(t, test.want, Level(test.samples), name)
	}
}
