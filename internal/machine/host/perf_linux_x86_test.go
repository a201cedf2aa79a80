//go:build linux && (386 || amd64)

package host

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScaledHz(t *testing.T) {
	for _, c := range []struct {
		capabilities uint64
		mult         uint32
		shift        uint16
		want         float64
	}{
		{0x1e, 827203129, 31, 2596077762},
		{capUserTime, 1, 0, 1e9},
		{capUserTime, 1000, 0, 1e6},
		{0x1e &^ capUserTime, 827203129, 31, 0},
		{capUserTime, 0, 31, 0},
		{capUserTime, 1, 65535, 0},
		{capUserTime, 1 << 31, 0, 0},
	} {
		require.Equal(t, c.want, scaledHz(c.capabilities, c.mult, c.shift), "%+v", c)
	}
}

// TestPerfAgreesWithTheLog compares the two sources of the kernel's figure. The log of some kernels
// has the rate before its refinement.
func TestPerfAgreesWithTheLog(t *testing.T) {
	_, log := kernelLog(live)
	perf, logged := perfTSCHz(), loggedTSCHz(log)
	t.Logf("perf %.0f Hz, log %.0f Hz", perf, logged)
	if perf > 0 && logged > 0 {
		require.InEpsilon(t, logged, perf, 1e-3)
	}
}
