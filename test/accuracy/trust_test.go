package accuracy

import (
	"bytes"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/planted"
)

// two returns the figures that a C program prints.
func two(t testing.TB, out []byte) (first, second float64) {
	t.Helper()
	_, err := fmt.Sscan(string(out), &first, &second)
	require.NoError(t, err, string(out))
	return first, second
}

// fenced returns the id of the CPU's counter, read in order.
func fenced(t testing.TB) string {
	t.Helper()
	for _, c := range clock.Catalog() {
		if c.Path == clock.CPU && (strings.HasPrefix(c.ID, "LFENCE+") || strings.HasPrefix(c.ID, "ISB+")) {
			return c.ID
		}
	}
	need.Missing(t, "counter", "this CPU has none that user code may read")
	return ""
}

// The rate of the CPU's counter agrees with the rate that C measures at the same time, within both bounds.
func TestDriftAgainstC(t *testing.T) {
	need.Minutes(t)
	program, timebench, id := compiled(t, "rate"), need.Timebench(t), fenced(t)
	for range 2 {
		var out bytes.Buffer
		c := exec.Command(program, "3")
		c.Stdout = &out
		require.NoError(t, c.Start())
		drift := drift.Of(measured.Document(t, timebench, "drift", id, "--duration", "4s"))
		require.NoError(t, c.Wait())
		hz, bound := two(t, out.Bytes())
		ours := drift.Clocks[0].Idle
		require.NotNil(t, ours, drift.Clocks[0].Reason)
		// One in twenty 95 % intervals does not hold the rate; twice the width always should.
		require.InDelta(t, hz, ours.Hz, bound+2*ours.IntervalPPM*ours.Hz/1e6)
		t.Logf("C %.1f ± %.1f Hz, timebench %.2f ± %.2f", hz, bound, ours.Hz, ours.IntervalPPM*ours.Hz/1e6)
	}
}

// The ranges of the offset of two CPUs by C and by timebench overlap.
func TestSkewAgainstC(t *testing.T) {
	need.Minutes(t)
	program, timebench, cpus := compiled(t, "skew"), need.Timebench(t), planted.TwoCPUs(t)
	for range 2 {
		least, most := two(t, need.Output(t, exec.Command(program, strconv.Itoa(cpus[0]), strconv.Itoa(cpus[1]))))
		pairs := skew.Of(measured.Document(t, timebench, "skew", "CLOCK_MONOTONIC@vdso", "--duration", "1s",
			"--cpus", fmt.Sprintf("%d,%d", cpus[0], cpus[1]))).Clocks[0].Pairs
		require.Len(t, pairs, 1)
		ours := pairs[0]
		low, high := ours.OffsetNS-ours.BoundNS, ours.OffsetNS+ours.BoundNS
		require.LessOrEqual(t, math.Max(low, least), math.Min(high, most), "C leaves %v to %v, timebench %v to %v", least,
			most, low, high)
		t.Logf("C leaves %v to %v ns, timebench %.1f to %.1f", least, most, low, high)
	}
}
