package host

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/wintime"
)

// Where no page is shared it is not known how QueryPerformanceCounter is read: neither that
// it enters the kernel nor that it does not. The rate is known anyway.
func TestQPCWithoutTheSharedPage(t *testing.T) {
	for _, wine := range []bool{false, true} {
		require.Equal(t, &result.QPC{Hz: wintime.PerformanceFrequency()}, qpc(0x1000, wine))
	}
}
