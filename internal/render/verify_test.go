package render

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
)

func TestHealthySaysWhatWasVerified(t *testing.T) {
	d := &result.Document{
		Clocks: []result.Clock{{ID: "CLOCK_MONOTONIC@vdso", Available: true, Latency: &result.Latency{MedianNS: 21.7}}},
		Verification: &result.Verification{CPUs: []int{0, 1}, Clocks: []result.VerifiedClock{
			{ID: "CLOCK_MONOTONIC@vdso", Verdict: result.IsMonotonic, Reads: 1100798},
		}},
	}
	require.Equal(t, "Nothing is wrong with the clocks here. CLOCK_MONOTONIC@vdso costs 21.7 ns a read; it never went backwards in 1,100,798 reads on 2 CPUs.", healthy(d))
	d.Verification.Clocks[0].Verdict = result.OneCPU
	require.NotContains(t, healthy(d), "backwards")
}
