package native

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestSyscallFillsTheBufferOnceAStep(t *testing.T) {
	buffer := make([][2]int64, 5)
	before := time.Now()
	last := SyscallIDBuffer(SysClockGettime, 0, unsafe.Pointer(&buffer[0]), unsafe.Sizeof(buffer[0]), 4)
	after := time.Now()
	require.Zero(t, last)
	previous := before.Truncate(time.Nanosecond)
	for i := range 4 {
		now := time.Unix(buffer[i][0], buffer[i][1])
		require.False(t, now.Before(previous), "read %d went backwards", i)
		require.False(t, now.After(after), "read %d is in the future", i)
		previous = now
	}
	require.Zero(t, buffer[4], "the loop wrote past its last step")
}
