package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
)

func TestHealthy(t *testing.T) {
	d := well()
	require.Equal(t, "No problem with the clocks was found.", Healthy(d))
	d.Put(&verify.Verification{CPUs: []int{0, 1}, Clocks: []verify.VerifiedClock{{ID: "CLOCK_MONOTONIC@vdso", Verdict: verify.IsMonotonic, Reads: 1100798}}})
	require.Equal(t, "No problem with the clocks was found. CLOCK_MONOTONIC@vdso never went backwards in 1,100,798 reads on 2 CPUs.", Healthy(d))
	verify.Of(d).Clocks[0].Verdict = verify.OneCPU
	d.Interrupted = true
	require.Equal(t, "Interrupted. No problem with the clocks was found until then.", Healthy(d))
}

// What was not measured is not called healthy.
func TestHealthyWithoutFigures(t *testing.T) {
	require.Equal(t, "Nothing was measured, so the cost of the clocks is unknown. No other problem was found.", Healthy(&result.Document{}))
	require.Equal(t, "Nothing was measured, so the cost of the clocks is unknown, and the kernel log could not be read: dmesg: unexpected EOF. The other facts show no problem.",
		Healthy(&result.Document{Host: result.Host{CPU: result.CPU{Logical: 2}, KernelLog: &result.KernelLog{Reason: "dmesg: unexpected EOF"}}}))
	require.Equal(t, "Interrupted before anything was measured: the cost of the clocks is unknown.", Healthy(&result.Document{Interrupted: true}))
	late := &compare.Costs{Clocks: []compare.Clock{{ID: "CLOCK_MONOTONIC@vdso", Path: "vdso", Reason: "failed while it was read: a worker was not let go in time"}}}
	require.Equal(t, "Nothing was measured, so the cost of the clocks is unknown. No other problem was found. "+
		"CLOCK_MONOTONIC@vdso was not measured: failed while it was read: a worker was not let go in time.",
		Healthy(&result.Document{Sections: []result.Section{late}}))
}
