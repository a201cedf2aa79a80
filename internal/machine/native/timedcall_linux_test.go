package native

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// forKernel is what the kernel reads. A local variable would move with its stack between the taking of its address, as
// a number, and the call.
var forKernel struct {
	sleep   unix.Timespec
	signals uint64
	mask    [2]uintptr
}

// The time is that after the call, and the result is of the call: its arguments reach the kernel, and its errors the
// caller.
func TestCallTimed(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.Equal(t, unix.Gettid(), CallTimed(unix.SYS_GETTID, new([6]uintptr), new(unix.Timespec)))
	require.Equal(t, -int(unix.EBADF), CallTimed(unix.SYS_CLOSE, &[6]uintptr{1 << 20}, new(unix.Timespec)))

	var before, after, woke unix.Timespec
	forKernel.sleep = unix.NsecToTimespec((2 * time.Millisecond).Nanoseconds())
	wait := [6]uintptr{0, 0, 0, 0, uintptr(unsafe.Pointer(&forKernel.sleep))} // of pselect(2): the fifth argument is the time
	result := -int(unix.EINTR)
	for result == -int(unix.EINTR) { // by the signals of Go's runtime
		require.NoError(t, unix.ClockGettime(unix.CLOCK_MONOTONIC, &before))
		result = CallTimed(unix.SYS_PSELECT6, &wait, &woke)
		require.NoError(t, unix.ClockGettime(unix.CLOCK_MONOTONIC, &after))
	}
	require.Zero(t, result)
	require.GreaterOrEqual(t, woke.Nano(), before.Nano())
	require.LessOrEqual(t, woke.Nano(), after.Nano())

	forKernel.mask = [2]uintptr{uintptr(unsafe.Pointer(&forKernel.signals)), 1} // the sixth: signals, and a wrong size of them
	wait[5] = uintptr(unsafe.Pointer(&forKernel.mask))
	require.Equal(t, -int(unix.EINVAL), CallTimed(unix.SYS_PSELECT6, &wait, &woke))
}
