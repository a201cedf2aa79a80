package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// constant is a reader with a fixed latency by its own stopwatch.
type constant struct{ readNS, nowNS, longestCall int64 }

func (c *constant) Spin(n int) {
	c.nowNS += c.readNS * int64(n)
	c.longestCall = max(c.longestCall, int64(n))
}

func (c *constant) Read([]int64) {}

func TestTimeReads(t *testing.T) {
	for name, test := range map[string]struct {
		readNS, plannedNS float64
		span, slice       time.Duration
		slices            int
	}{
		"as planned":            {20, 20, 2500 * time.Microsecond, 100 * time.Microsecond, 25},
		"one slice":             {1000, 1000, 50 * time.Microsecond, 50 * time.Microsecond, 1},
		"a read beyond a slice": {1e6, 1e6, 50 * time.Microsecond, 50 * time.Microsecond, 1},
		"far slower":            {2000, 20, 2500 * time.Microsecond, 100 * time.Microsecond, FewestSlices},
		"long slices":           {20, 20, 100 * time.Millisecond, 20 * time.Millisecond, 5},
	} {
		c := &constant{readNS: int64(test.readNS)}
		got := timeReads(c, test.plannedNS, test.span, test.slice, func() int64 { return c.nowNS })
		require.Len(t, got, test.slices, name)
		for _, ns := range got {
			require.Equal(t, test.readNS, ns, name)
		}
		require.LessOrEqual(t, float64(c.longestCall-1)*test.plannedNS, float64(longestCall), name)
	}
}
