//go:build unix

package runtimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

// A slow reader takes a microsecond to read.
type slowReader struct{}

func (slowReader) Read([]int64) {}

func (slowReader) Spin(n int) {
	for end := time.Now().Add(time.Duration(n) * time.Microsecond); time.Now().Before(end); {
	}
}

// The clocks of the system are read once before each start of the runtimes, and not all before them.
func TestClocksAreReadBetweenTheStarts(t *testing.T) {
	slow := clock.Clock{ID: "slow@vdso", Open: func() (clock.Reader, error) { return slowReader{}, nil }}
	measured := run(t, Settings{Runtimes: []Selected{shell(t, "echo 1", honest(t))}, Clocks: []clock.Clock{slow}})
	require.Len(t, measured.Clocks, 1)
	require.Len(t, measured.Clocks[0].Latency.SamplesNS, measured.Runtimes[0].Forks)
	require.GreaterOrEqual(t, measured.Clocks[0].Latency.MinNS, 1000.0)
}
