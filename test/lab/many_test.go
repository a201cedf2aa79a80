//go:build lab && linux

package lab

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/measured"
)

// many is a machine with far more CPUs than the host has: most of them stand still at any time. The kernel need not
// measure its delay loop on each CPU (lpj), which takes a minute.
var many = world{
	name: "smp24", arch: "amd64", emulator: x86, source: "tsc", vdso: result.Never,
	machine: machine("-cpu max,+invtsc", 1024, 24, "ttyS0", "tsc=reliable wait=tsc lpj=4000000"),
}

const manyScript = `
run threads timebench compare --format json
run processes timebench compare --format json --workers processes --threads 1,24 --rounds 8 --throughput-time 8ms \
  CLOCK_MONOTONIC@vdso
`

// A run on such a machine ends by itself, long before the time limit of a command. No clock
// becomes unavailable because a thread has no CPU, and the document accounts for each figure that is
// missing. How many are depends on the speed of the host.
func TestFarMoreCPUsThanTheHostHas(t *testing.T) {
	said := many.run(t, manyScript)
	for _, workers := range []string{"threads", "processes"} {
		d := document(t, said.ok(t, workers))
		costs := compare.Of(d)
		require.Equal(t, 24, d.Host.CPU.Usable)
		short := map[int]result.Passes{}
		for _, p := range d.Conditions.Passes {
			short[p.Threads] = p
		}
		t.Logf("%s: %.1f s, %d clocks, numbers of threads with missing or starved passes: %+v",
			workers, float64(d.Conditions.DurationNS)/1e9, len(costs.Clocks), d.Conditions.Passes)
		if slices.ContainsFunc(d.Conditions.Passes, func(p result.Passes) bool { return p.Complete < p.Planned }) {
			require.Contains(t, measured.Warned(d), "incomplete")
		}
		for _, c := range costs.Clocks {
			require.True(t, c.Available, "%s: %s: %s", workers, c.ID, c.Reason)
			require.NotNil(t, c.Latency, "%s: %s", workers, c.ID)
			require.NotNil(t, c.Resolution, "%s: %s", workers, c.ID)
			for _, threads := range d.Settings.Threads {
				if !slices.ContainsFunc(c.Throughput, func(one compare.Throughput) bool { return one.Threads == threads }) {
					require.NotEqual(t, 1, threads, "%s: %s", workers, c.ID)
					require.Less(t, short[threads].Complete, short[threads].Planned, "%s: %s with %d threads", workers, c.ID, threads)
					require.NotEmpty(t, short[threads].Reasons)
				}
			}
		}
		for _, f := range d.Findings {
			require.NotContains(t, []string{"no-vdso", notScaling}, f.Kind, f.Evidence)
		}
	}
}
