//go:build lab && linux

package lab

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// layersScript measures the layers of a machine's clocks, and its timer alone.
const layersScript = `
run layers timebench compare --format json --rounds 20 --throughput-time 5ms --threads 1 \
  CLOCK_MONOTONIC CLOCK_REALTIME@vdso gettimeofday hpet@mmio
`

// TestLayers prints the layers of the machines hpet and tsc, for docs/evidence/layers.md. Where the vDSO enters the
// kernel, the clock source is a layer by itself.
//
//	go test -tags lab ./test/lab -run TestLayers -v
func TestLayers(t *testing.T) {
	for _, name := range []string{"hpet", "tsc"} {
		w := named(name)
		t.Run(w.name, func(t *testing.T) {
			d := document(t, w.run(t, layersScript)["layers"])
			for _, c := range compare.Of(d).Clocks {
				if c.Latency != nil {
					t.Logf("%s %.1f ns, in user mode %.1f ns", c.ID, c.Latency.MedianNS, c.UserModeNS)
				}
				for _, l := range c.Layers {
					t.Logf("    %-30s %8.1f ns (%.1f to %.1f)", l.Name, l.NS, l.LowNS, l.HighNS)
				}
			}
			i := slices.IndexFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return c.ID == "CLOCK_MONOTONIC@vdso" })
			monotonic := compare.Of(d).Clocks[i]
			require.Len(t, monotonic.Layers, 4)
			last := map[string]string{result.Always: "call and return of the wrapper",
				result.Never: "convert (sequence, multiply)"}[w.vdso]
			require.Equal(t, last, monotonic.Layers[3].Name)
			require.Equal(t, w.vdso == result.Always, monotonic.UserModeNS > 0)
		})
	}
}

// TestLayersAreInstructions counts instructions: on a machine where each takes the same time, the layers are numbers of
// instructions. The loop of the empty call has seven, RDTSC is one, and RDTSCP takes its place; a debugger counts the
// steps of the whole read.
func TestLayersAreInstructions(t *testing.T) {
	t.Parallel() // the speed of the host changes nothing
	w := named("tsc").counting()
	said := w.run(t, layersScript+"\nrun stepped stepped\n")
	var inVDSO, around int
	_, err := fmt.Sscan(said["stepped"].stdout, &inVDSO, &around)
	require.NoError(t, err, "%+v", said["stepped"])
	t.Logf("by single steps: %d instructions in the vDSO, %d in the loop", inVDSO, around)
	for _, c := range compare.Of(document(t, said["layers"])).Clocks {
		sum := 0.0
		for _, l := range c.Layers {
			t.Logf("%-25s %-30s %6.2f instructions", c.ID, l.Name, l.NS/instructionNS)
			sum += l.NS / instructionNS
		}
		if c.Path != "vdso" {
			continue
		}
		require.InDelta(t, 7, c.Layers[0].NS/instructionNS, 0.1, c.ID)
		require.InDelta(t, 1, c.Layers[1].NS/instructionNS, 0.1, c.ID)
		require.InDelta(t, 0, c.Layers[2].NS/instructionNS, 0.1, c.ID)
		if c.ID == "CLOCK_MONOTONIC@vdso" {
			require.InDelta(t, inVDSO+around, sum, 1)
		}
	}
}
