package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/need"
)

// single measures the distribution of single reads of a clock.
func single(t *testing.T, spin func(n int)) *compare.Distribution {
	t.Helper()
	c := fake("single", func() (clock.Reader, error) { return spinner(spin), nil })
	s := quick(1)
	s.Distribution = 60 * time.Millisecond
	d := ran(t, s, c).Clocks[0].Distribution
	if d == nil {
		need.Missing(t, "counter", "this machine has none that can be read")
	}
	return d
}

// busy waits without yielding the CPU.
func busy(span time.Duration) {
	for end := observe.Now() + int64(span); observe.Now() < end; {
		continue
	}
}

func TestSingleReadsThatTakeLongAreCounted(t *testing.T) {
	const every, long = 500, 100 * time.Microsecond
	reads := 0
	d := single(t, func(n int) {
		if n > 1 {
			busy(time.Duration(n) * 10)
			return
		}
		if reads++; reads%every == 0 {
			busy(long)
		}
	})
	require.GreaterOrEqual(t, d.MaxNS, float64(long)*0.99)
	require.Less(t, d.P50NS, float64(long)/10)
	require.GreaterOrEqual(t, d.P999NS, float64(long)*0.99, "a read in 500 is beyond the 99.9th percentile")
	require.GreaterOrEqual(t, d.TenfoldReads, d.Reads/every-1, "each long read takes ten times the median")
	require.NotEmpty(t, d.Counter)
	sum, last := int64(0), -1.0
	for _, b := range d.Buckets {
		require.Greater(t, b.UpToNS, last)
		sum, last = sum+b.Reads, b.UpToNS
	}
	require.Equal(t, d.Reads, sum)
	require.LessOrEqual(t, d.P50NS, d.P90NS)
	require.LessOrEqual(t, d.P90NS, d.P99NS)
	require.LessOrEqual(t, d.P999NS, d.MaxNS)
}

func TestSingleReadsAreTimedRight(t *testing.T) {
	const read = 3 * time.Microsecond
	d := single(t, func(n int) { busy(time.Duration(n) * read) })
	require.GreaterOrEqual(t, d.P50NS, float64(read)*0.99)
	require.Less(t, d.BracketNS, float64(read))
}

// The resolution of a distribution is the distance of durations that many reads have.
func TestRareReadsHideNoResolution(t *testing.T) {
	for want, reads := range map[int64]map[int64]int64{
		26: {26: 500, 52: 40_000, 78: 5_000, 103: 3, 130: 300, 131: 2, 90_001: 100, 90_002: 100},
		1:  {40: 100, 41: 100, 43: 100},
		0:  {50: 100},
	} {
		h := newSingle()
		for ticks, n := range reads {
			require.NoError(t, h.RecordValues(ticks, n))
		}
		require.Equal(t, want, apart(h))
	}
}

func TestNoDistributionUnlessAskedFor(t *testing.T) {
	require.Nil(t, ran(t, quick(1), scripted("c", count)).Clocks[0].Distribution)
	var none *bracket
	require.Nil(t, none.result(nil, nil), "a machine without a counter that can be read")
}
