//go:build lab && linux

package lab

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// layersScript measures the layers of a machine's clocks, and its timer alone.
const layersScript = `
run layers timebench compare --format json --rounds 20 --throughput-time 5ms --threads 1 \
  CLOCK_MONOTONIC CLOCK_REALTIME@vdso gettimeofday hpet@mmio
run stepped stepped
`

// TestLayers prints the layers of machines, for docs/evidence/layers.md. Where the vDSO enters the kernel, the clock
// source is a layer by itself. On a machine where each instruction takes the same time, the layers are numbers of
// instructions. The loop of the empty call has seven, RDTSC is one, and RDTSCP takes its place; a debugger counts the
// steps of the whole read.
//
//	go test -tags lab ./test/lab -run TestLayers -v
func TestLayers(t *testing.T) {
	for name, w := range map[string]world{"hpet": named("hpet"), "tsc": named("tsc"), "instructions": named("tsc").counting()} {
		t.Run(name, func(t *testing.T) {
			said := w.run(t, layersScript)
			d := document(t, said["layers"])
			sums := map[string]float64{}
			for _, c := range compare.Of(d).Clocks {
				if c.Latency != nil {
					t.Logf("%s %.1f ns, in user mode %.1f ns", c.ID, c.Latency.MedianNS, c.UserModeNS)
				}
				for _, l := range c.Layers {
					sums[c.ID] += l.NS
					t.Logf("    %-30s %8.1f ns (%.1f to %.1f), %.2f instructions", l.Name, l.NS, l.LowNS, l.HighNS, l.NS/instructionNS)
				}
				if name == "instructions" && c.Path == "vdso" {
					for i, instructions := range []float64{7, 1, 0} {
						require.InDelta(t, instructions, c.Layers[i].NS/instructionNS, 0.1, c.ID)
					}
				}
			}
			monotonic := clockOf(t, d, "CLOCK_MONOTONIC@vdso")
			require.Len(t, monotonic.Layers, 4)
			last := map[string]string{result.Always: "call and return of the wrapper",
				result.Never: "convert (sequence, multiply)"}[w.vdso]
			require.Equal(t, last, monotonic.Layers[3].Name)
			require.Equal(t, w.vdso == result.Always, monotonic.UserModeNS > 0)
			if name == "instructions" {
				var inVDSO, around int
				_, err := fmt.Sscan(said["stepped"].stdout, &inVDSO, &around)
				require.NoError(t, err, "%+v", said["stepped"])
				t.Logf("by single steps: %d instructions in the vDSO, %d in the loop", inVDSO, around)
				require.InDelta(t, inVDSO+around, sums[monotonic.ID]/instructionNS, 1)
			}
		})
	}
}
