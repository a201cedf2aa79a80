package thread

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// Under a real-time policy a busy thread sets an ordinary one before it spins.
func TestBusyThreadsAreOrdinary(t *testing.T) {
	require.Empty(t, RealTimePolicy())
	var refused syscall.Errno
	var before, after string
	require.NoError(t, Run(Any, func() {
		const fifo = 1
		priority := new(int32)
		*priority = 1
		if _, _, refused = unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, fifo, uintptr(unsafe.Pointer(priority))); refused != 0 {
			return
		}
		before = RealTimePolicy()
		require.NoError(t, ordinary())
		after = RealTimePolicy()
	}))
	if refused != 0 {
		need.Missing(t, "realtime", "sched_setscheduler: "+refused.Error())
	}
	require.Equal(t, "SCHED_FIFO", before)
	require.Empty(t, after)
}
