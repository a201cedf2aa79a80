//go:build lab && linux

package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkRuns makes the runs of test/accuracy in the machine hpet, and keeps their documents in the folder
// TIMEBENCH_PAIRS.
func BenchmarkRuns(b *testing.B) {
	folder := os.Getenv("TIMEBENCH_PAIRS")
	if folder == "" {
		b.Skip("TIMEBENCH_PAIRS names no folder for the runs")
	}
	const runs = 60 // of one boot: each boot is another machine
	hpet := named("hpet")
	for boot := 0; b.Loop(); boot++ {
		var script strings.Builder
		for i := range runs {
			fmt.Fprintf(&script,
				"run compare-%03d timebench compare --format json --rounds 60 --throughput-time 20ms --threads 1 "+
					"CLOCK_MONOTONIC@vdso CLOCK_REALTIME_COARSE@vdso CLOCK_MONOTONIC@syscall RDTSC@cpu "+
					"CLOCK_THREAD_CPUTIME_ID@vdso time.Now@go\n", boot*runs+i)
		}
		said := hpet.run(b, script.String())
		for name := range said {
			if strings.HasPrefix(name, "compare-") {
				document := said.ok(b, name).stdout
				require.NoError(b, os.WriteFile(filepath.Join(folder, name+".json"), []byte(document), 0o600))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
}
