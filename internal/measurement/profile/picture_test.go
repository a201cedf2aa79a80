package profile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The axis holds the highest share, and its ticks have round labels.
func TestAxis(t *testing.T) {
	for high, labels := range map[float64][]string{
		0:     {"0 %", "0.2 %", "0.4 %", "0.6 %", "0.8 %", "1 %"},
		0.011: {"0 %", "0.5 %", "1 %", "1.5 %", "2 %"},
		0.392: {"0 %", "10 %", "20 %", "30 %", "40 %"},
		0.99:  {"0 %", "20 %", "40 %", "60 %", "80 %", "100 %"},
	} {
		var got []string
		for _, tick := range axisOf([]Process{{ClockShareHigh: high / 2}, {ClockShareHigh: high}}).Ticks(0, 1) {
			got = append(got, tick.Label)
		}
		require.Equal(t, labels, got, high)
	}
}
