package fleet_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/memory"
	"github.com/timebench/timebench/test/need"
)

// BenchmarkFleet reports the time and the peak memory of timebench for the documents of n default runs.
func BenchmarkFleet(b *testing.B) {
	timebench := need.Timebench(b)
	for _, n := range []int{1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			documents, odd := made.Fleet(n, 7, 1)
			folder := written(b, documents)
			for b.Loop() {
				var out bytes.Buffer
				command := exec.Command(timebench, "fleet", folder, "--format", "json")
				command.Stdout = &out
				require.NoError(b, command.Start())
				peak, err := memory.Wait(command)
				require.NoError(b, err)
				b.ReportMetric(float64(peak)/1e6, "MB")
				var f fleet.Fleet
				require.NoError(b, json.Unmarshal(out.Bytes(), &f))
				require.ElementsMatch(b, odd, oddOf(&f))
			}
		})
	}
}
