package native

import (
	"syscall"
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

func TestSyscallBufferPassesTheBufferFirst(t *testing.T) {
	buffer := make([]syscall.Timeval, 3)
	last := SyscallBuffer(syscall.SYS_GETTIMEOFDAY, unsafe.Pointer(&buffer[0]), unsafe.Sizeof(buffer[0]), 2)
	require.Zero(t, last)
	require.InDelta(t, time.Now().Unix(), buffer[0].Sec, 2)
	require.NotZero(t, buffer[1].Sec)
	require.Zero(t, buffer[2])
}

func TestSyscallReturnsTheErrno(t *testing.T) {
	var buffer [2]int64
	last := SyscallIDBuffer(SysClockGettime, 12345, unsafe.Pointer(&buffer), 0, 3)
	require.Equal(t, -int(syscall.EINVAL), last)
}
