package fleet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/test/made"
	"github.com/timebench/timebench/test/need"
)

// BenchmarkFleet reports how long timebench takes for the documents of so many default runs, and the memory
// that it holds at most.
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
				ended := make(chan error)
				go func() { ended <- command.Wait() }()
				b.ReportMetric(peakMB(b, command.Process.Pid, ended), "MB")
				var f fleet.Fleet
				require.NoError(b, json.Unmarshal(out.Bytes(), &f))
				require.ElementsMatch(b, odd, oddOf(&f))
			}
		})
	}
}

// peakMB returns the most memory that a process held until it ended. Its resource usage (getrusage(2)) has that of this
// process too, from before its execve(2).
func peakMB(b *testing.B, pid int, ended <-chan error) (peak float64) {
	b.Helper()
	for {
		select {
		case err := <-ended:
			require.NoError(b, err)
			return peak
		case <-time.After(20 * time.Millisecond):
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue // it has ended
		}
		if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var kB float64
			if _, err := fmt.Sscan(rest, &kB); err == nil {
				peak = kB / 1e3
			}
		}
	}
}
