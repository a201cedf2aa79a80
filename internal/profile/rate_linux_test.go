package profile

import (
	"math/big"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// Without a rate, the profile takes the one that what a sample takes allows; a rate that is given is kept.
func TestRateIsChosen(t *testing.T) {
	s := Settings{Time: MinTime, PIDs: []int{os.Getpid()}}
	allowed(t, s)
	chosen, err := Run(t.Context(), s, measured, none)
	require.NoError(t, err)
	require.Positive(t, chosen.SampleNS)
	require.Equal(t, rateFor(chosen.SampleNS), chosen.RateHz)
	s.RateHz = 1009 // none of those to choose from
	given, err := Run(t.Context(), s, measured, none)
	require.NoError(t, err)
	require.Equal(t, 1009, given.RateHz)
	require.Positive(t, given.SampleNS)
}

func TestRateOfTheCommandLine(t *testing.T) {
	allowed(t, Settings{PIDs: []int{os.Getpid()}})
	out, err := exec.Command(need.Timebench(t), "profile", strconv.Itoa(os.Getpid()), "--time", "100ms", "--rate", "1009", "--format", "json").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), `"rate_hz": 1009`)
}

func TestRateFor(t *testing.T) {
	for sampleNS, rate := range map[float64]int{
		0: 997, 3_000: 997, 10_030: 997, 10_031: 751, 18_000: 421, 163_934: 61, 1e9: 61,
	} {
		require.Equal(t, rate, rateFor(sampleNS), "%g ns", sampleNS)
	}
	for _, rate := range rates {
		require.True(t, big.NewInt(int64(rate)).ProbablyPrime(0), rate)
	}
}
