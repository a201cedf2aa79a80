//go:build amd64 || arm64

package clock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The loops inside a read of QueryPerformanceCounter run by the convention of Windows.
func TestStepsOfQueryPerformanceCounter(t *testing.T) {
	for userMode, first := range map[bool]string{true: "read the counter", false: "the system call"} {
		steps, last := counterLayers(userMode)
		require.Len(t, steps, 2, first)
		require.NotEmpty(t, last, first)
		require.Contains(t, steps[1].Adds, first)
		requireSpins(t, steps[1])
	}
}
