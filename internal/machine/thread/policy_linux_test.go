package thread

import (
	"errors"
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
		if _, _, refused = unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, fifo,
			uintptr(unsafe.Pointer(priority))); refused != 0 {
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

// An urgent thread has its old policy afterwards, also if only RLIMIT_RTPRIO allows it to be urgent.
func TestUrgentThreadHasItsPolicyBack(t *testing.T) {
	const batch = 3
	for _, kept := range []uintptr{schedOther, schedResetOnFork, batch, batch | schedResetOnFork} {
		var refused error
		var during string
		var after uintptr
		require.NoError(t, Run(Any, func() {
			if refused = setPolicy(kept, 0); refused == nil &&
				unix.Prlimit(0, unix.RLIMIT_RTPRIO, &unix.Rlimit{Cur: 1, Max: 1}, nil) == nil {
				header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
				rights := make([]unix.CapUserData, 2)
				refused = unix.Capget(header, &rights[0])
				rights[0].Effective &^= 1 << unix.CAP_SYS_NICE
				refused = errors.Join(refused, unix.Capset(header, &rights[0]))
			}
			end := Urgent()
			during = RealTimePolicy()
			end()
			after = policy()
		}))
		require.NoError(t, refused)
		if during == "" {
			need.Missing(t, "realtime", "no real-time policy is allowed")
		}
		require.Equal(t, "SCHED_FIFO", during)
		require.Equal(t, kept, after)
	}
}
