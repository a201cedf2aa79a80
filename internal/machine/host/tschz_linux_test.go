package host

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoggedTSCHz(t *testing.T) {
	const processor, counter, refined = "[    0.000000] tsc: Detected 2600.000 MHz processor", "[    0.000000] tsc: Detected 2596.144 MHz TSC",
		"[    1.272550] tsc: Refined TSC clocksource calibration: 2593.905 MHz"
	for name, c := range map[string]struct {
		lines []string
		want  float64
	}{
		"none":                    {nil, 0},
		"the processor's":         {[]string{processor}, 2600000000},
		"the counter's":           {[]string{processor, counter}, 2596144000},
		"the refined one":         {[]string{processor, counter, refined}, 2593905000},
		"old kernels end in dots": {[]string{"tsc: Refined TSC clocksource calibration: 2593.905 MHz."}, 2593905000},
		"nonsense":                {[]string{"tsc: Detected many MHz processor", "tsc: Detected 0.000 MHz processor", "tsc: Detected 9999999999.0 MHz TSC"}, 0},
		"no number":               {[]string{"tsc: Refined TSC clocksource calibration: 2593 MHz", processor}, 2600000000},
	} {
		require.Equal(t, c.want, loggedTSCHz(c.lines), name)
	}
}
