package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Of ten sorted samples the 2nd and the 9th bound the median with confidence
// 1 - 2·(1+10)/2^10 = 97.85 %: both outermost intervals on each side dropped.
func TestSummarizeTenSamples(t *testing.T) {
	samples := []float64{20, 11, 12, 19, 13, 18, 14, 17, 15, 16}
	s := Summarize(samples)
	require.Equal(t, 15.5, s.Median)
	require.Equal(t, 11.0, s.Min)
	require.Equal(t, 12.0, s.Low)
	require.Equal(t, 19.0, s.High)
	require.InDelta(t, 0.9785, s.Confidence, 0.0001)
	require.Equal(t, 20.0, samples[0], "the caller's order was changed")
}

// Six samples are the fewest with an interval: 1 - 2/2^6 = 96.9 %.
func TestSummarizeNeedsSixSamplesForAnInterval(t *testing.T) {
	six := Summarize([]float64{1, 2, 3, 4, 5, 6})
	require.Equal(t, 1.0, six.Low)
	require.Equal(t, 6.0, six.High)
	require.InDelta(t, 0.96875, six.Confidence, 0.0001)
	five := Summarize([]float64{1, 2, 3, 4, 100})
	require.Zero(t, five.Confidence)
	require.Zero(t, five.Low)
	require.Zero(t, five.High)
	require.Equal(t, 3.0, five.Median)
	require.Equal(t, 7.0, Median([]float64{7}))
}

func TestDiffer(t *testing.T) {
	low, high := []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	p, enough := Differ(low, high, 0.05)
	require.InDelta(t, 2.0/70, p, 1e-9) // 70 ways to choose 4 of 8
	require.True(t, enough)
	_, enough = Differ(low, high, 0.01)
	require.False(t, enough)
	p, enough = Differ(low[:3], high[:3], 0.05)
	require.InDelta(t, 0.1, p, 1e-9)
	require.False(t, enough)
	equal := []float64{1, 1, 1, 1}
	p, enough = Differ(equal, equal, 0.05)
	require.Equal(t, 1.0, p)
	require.True(t, enough, "equal samples are enough to see no difference")
}

// The example is worked by hand: 4 × 0.01, 3 × 0.013, 2 × 0.04, 0.2, none below
// the one before.
func TestHolm(t *testing.T) {
	require.InDeltaSlice(t, []float64{0.08, 0.04, 0.2, 0.04}, Holm([]float64{0.04, 0.01, 0.2, 0.013}), 1e-9)
	require.Equal(t, []float64{1, 1}, Holm([]float64{0.9, 0.8}))
	require.Empty(t, Holm(nil))
}

func TestRatio(t *testing.T) {
	samples := func(center float64) []float64 {
		var s []float64
		for i := range 11 {
			s = append(s, center+float64(i-5))
		}
		return s
	}
	low, high, ok := Ratio(samples(100), samples(200))
	require.True(t, ok)
	// Of 11 samples the 2nd and the 10th bound the median with 98.8 %.
	require.InDelta(t, 196.0/104, low, 1e-9)
	require.InDelta(t, 204.0/96, high, 1e-9)
	_, _, ok = Ratio([]float64{1, 2, 3, 4, 5, 6}, samples(1))
	require.False(t, ok, "six samples have no interval of 97.5 %%")
}

func TestQuantile(t *testing.T) {
	samples := []float64{16, 1, 3, 2}
	for share, want := range map[float64]float64{0: 1, 0.25: 1, 0.26: 2, 0.75: 3, 1: 16} {
		require.Equal(t, want, Quantile(share, samples), share)
	}
	require.Equal(t, []float64{16, 1, 3, 2}, samples)
	require.Equal(t, 7.0, Quantile(0.1, []float64{7}))
}

// Whether there are enough samples is told from the p that the test then gives to samples
// which lie as far apart as they can.
func TestLeastPIsWhatTheTestGives(t *testing.T) {
	for _, size := range [][2]int{{3, 3}, {5, 5}, {4, 40}, {25, 25}, {4, 51}, {4, 77}, {1, 700}, {77, 77}} {
		for _, tied := range []bool{false, true} {
			var low, high []float64
			for i := range size[0] {
				low = append(low, 1+float64(i)/1000)
			}
			for i := range size[1] {
				high = append(high, 2+float64(i)/1000)
			}
			if tied {
				high[0] = high[len(high)-1]
			}
			p, _ := Differ(low, high, 0.05)
			require.InEpsilon(t, p, leastP(size[0], size[1], tied && size[1] > 1), 0.35, "%v, tied: %v", size, tied)
			_, enough := Differ(low, high, p*1.5)
			require.True(t, enough, "%v", size)
			_, enough = Differ(low, high, p/1.5)
			require.False(t, enough, "%v", size)
		}
	}
}
