package profile

import (
	"encoding/json"
	"math/big"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// chosenRate returns the rate that a profile without a given one must have.
func chosenRate(sampleNS float64) int {
	if Check(Settings{Whole: true}) != nil {
		return DefaultRate // thread by thread
	}
	return rateFor(sampleNS)
}

func TestRateIsChosen(t *testing.T) {
	s := Settings{Time: MinTime, PIDs: []int{os.Getpid()}}
	allowed(t, s)
	chosen, err := Run(t.Context(), s, measured, none)
	require.NoError(t, err)
	require.Equal(t, chosenRate(chosen.SampleNS), chosen.RateHz)
	s.RateHz = 1009 // none of those to choose from
	given, err := Run(t.Context(), s, measured, none)
	require.NoError(t, err)
	require.Equal(t, 1009, given.RateHz)
}

func TestRateOfTheCommandLine(t *testing.T) {
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	profile := func(flags ...string) *Profile {
		args := append([]string{"profile", strconv.Itoa(os.Getpid()), "--time", "100ms", "--format", "json"}, flags...)
		out, err := exec.Command(need.Timebench(t), args...).Output()
		require.NoError(t, err)
		var document struct{ Profile *Profile }
		require.NoError(t, json.Unmarshal(out, &document))
		return document.Profile
	}
	p := profile()
	require.Equal(t, chosenRate(p.SampleNS), p.RateHz)
	require.Equal(t, 1009, profile("--rate", "1009").RateHz)
}

// A thread that waits for a CPU has too few samples to time, but not for ever.
func TestSampleIsTimed(t *testing.T) {
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	require.Eventually(t, func() bool {
		ns, accounted := sampleNS(), accountedNS()
		t.Logf("a sample takes %g ns, of which %g are accounted", ns, accounted)
		for _, ns := range []float64{ns, accounted} {
			require.GreaterOrEqual(t, ns, 0.0)
			require.Less(t, ns, float64(timedTime))
		}
		return ns > 0
	}, time.Minute, time.Millisecond)
}

func TestRateFor(t *testing.T) {
	for sampleNS, rate := range map[float64]int{
		0: 997, 3_000: 997, 8_024: 997, 8_025: 751, 18_000: 421, 25_236: 317, 25_237: 239, 1e9: 239,
	} {
		require.Equal(t, rate, rateFor(sampleNS), "%g ns", sampleNS)
	}
	for _, rate := range rates {
		require.True(t, big.NewInt(int64(rate)).ProbablyPrime(0), rate)
	}
}

func TestQuietest(t *testing.T) {
	require.Equal(t, 2.0, quietest(3, 2))
	require.Equal(t, 2.0, quietest(2, 3))
	require.Equal(t, 2.0, quietest(0, 2), "unknown")
	require.Equal(t, 2.0, quietest(2, 0), "unknown")
	require.Zero(t, quietest(0, 0))
}
