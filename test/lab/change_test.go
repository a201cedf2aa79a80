//go:build lab && linux

package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/skew"
)

// changeScript pins to a CPU that the kernel isolates; changes the clock source while clocks are compared; and runs a
// build that cannot prove kernel entry.
const changeScript = `
run allowed grep Cpus_allowed_list /proc/self/status
run isolated timebench compare --format json --pin 1 --threads 1 --rounds 12 --throughput-time 20ms CLOCK_MONOTONIC@vdso
run both timebench skew --format json --duration 1s --cpus 0,1
run nowhere timebench compare --pin 2 CLOCK_MONOTONIC@vdso
(sleep 3; echo hpet >$sources/current_clocksource) &
run changed timebench compare --format json --threads 1 --rounds 400 --throughput-time 1s CLOCK_MONOTONIC
run doctor-386 timebench-386 doctor --format json
`

func TestIsolatedCPUAndAChangeOfTheClockSource(t *testing.T) {
	t.Parallel()
	said := named("tsc").boots("isolcpus=1").run(t, changeScript)

	require.Equal(t, "Cpus_allowed_list:\t0", said.text("allowed"), "nobody gets CPU 1 who does not ask for it")
	d := document(t, said.ok(t, "isolated"))
	require.Len(t, compare.Of(d).Clocks[0].Latency.SamplesNS, 12)
	require.False(t, compare.Of(d).Clocks[0].Throughput[0].Oversubscribed)
	require.Equal(t, []int{0, 1}, skew.Of(document(t, said["both"])).CPUs)
	require.Equal(t, 2, said["nowhere"].status)
	require.Contains(t, said["nowhere"].stderr, "CPU 2 does not exist or is not allowed to this process; it may use CPU 0")

	d = document(t, said.ok(t, "changed"))
	require.Equal(t, []string{"tsc", "hpet"}, d.Conditions.ClockSources)
	require.Equal(t, "hpet", d.Host.ClockSource.Current)
	require.Equal(t, result.Sometimes, compare.Of(d).Clocks[0].KernelEntry, compare.Of(d).Clocks[0].ID)
	require.NotEmpty(t, d.Findings)
	require.Equal(t, kernelEntry, d.Findings[0].Kind)
	require.Contains(t, d.Findings[0].Title, "the clock source is hpet")

	require.Equal(t, 1, said["doctor-386"].status)
	d = document(t, said["doctor-386"])
	require.Equal(t, "386", d.Host.Arch)
	require.Equal(t, kernelEntry, d.Findings[0].Kind)
	require.Contains(t, d.Findings[0].Title, "the clock source is hpet")
}
