package render

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/verify"
)

func TestHealthySaysWhatWasVerified(t *testing.T) {
	d := &result.Document{
		Clocks: []result.Clock{{ID: "CLOCK_MONOTONIC@vdso", Available: true, Latency: &result.Latency{MedianNS: 21.7}}},
		Sections: []result.Section{&verify.Verification{CPUs: []int{0, 1}, Clocks: []verify.VerifiedClock{
			{ID: "CLOCK_MONOTONIC@vdso", Verdict: verify.IsMonotonic, Reads: 1100798},
		}}},
	}
	require.Equal(t, "Nothing is wrong with the clocks here. CLOCK_MONOTONIC@vdso costs 21.7 ns a read; it never went backwards in 1,100,798 reads on 2 CPUs.", healthy(d))
	verify.Of(d).Clocks[0].Verdict = verify.OneCPU
	require.NotContains(t, healthy(d), "backwards")
}
