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

func TestQuantile(t *testing.T) {
	samples := []float64{16, 1, 3, 2}
	for share, want := range map[float64]float64{0: 1, 0.25: 1, 0.26: 2, 0.75: 3, 1: 16} {
		require.Equal(t, want, Quantile(share, samples), share)
	}
	require.Equal(t, []float64{16, 1, 3, 2}, samples)
	require.Equal(t, 7.0, Quantile(0.1, []float64{7}))
}
