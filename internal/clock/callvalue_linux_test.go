//go:build amd64

package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/test/need"
)

// The loop for functions that return the time, as on macOS, calls time(NULL) of the vDSO. The vDSO of arm64 has no such
// function.
func TestCallIDValueStoresEachResult(t *testing.T) {
	seconds, err := vdso.Lookup("time")
	if err != nil {
		need.Missing(t, "vdso", err.Error())
	}
	before, values := time.Now().Unix(), make([]int64, 4)
	native.CallIDValue(seconds, 0, &values[0], 8, 3)
	after := time.Now().Unix()
	for i := range 3 {
		require.GreaterOrEqual(t, values[i], before-1, i) // the coarse clock may be a tick behind
		require.LessOrEqual(t, values[i], after, i)
	}
	require.Zero(t, values[3], "the loop wrote past its last step")
	values = make([]int64, 2)
	native.CallIDValue(seconds, 0, &values[0], 0, 5)
	require.Positive(t, values[0])
	require.Zero(t, values[1])
}
