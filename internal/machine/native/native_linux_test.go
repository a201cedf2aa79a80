package native

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
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

// The stack moves when it grows at the first native call of each goroutine, and when the garbage
// collector shrinks it. No value may be torn or lost.
func TestLoopsSurviveConstantCollection(t *testing.T) {
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for range 200 {
				buffer := make([][2]int64, 16)
				CallNothing(16)
				assert.Zero(t, buffer[7])
				SyscallIDBuffer(SysClockGettime, 1, unsafe.Pointer(&buffer[0]), 16, 16)
				assert.NotZero(t, buffer[15])
			}
		})
	}
	workers.Wait()
	close(stop)
	collector.Wait()
}

func BenchmarkCallNothing(b *testing.B) {
	for left := b.N; left > 0; left -= 10_000 {
		CallNothing(min(left, 10_000))
	}
}
