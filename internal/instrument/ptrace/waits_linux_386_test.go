package ptrace

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/program"
	"golang.org/x/sys/unix"
)

// wideCalls are calls with a time of 64 bits, and their arguments: -1 for the time, -2 for a word that is 0.
var wideCalls = []struct {
	name   string
	number uintptr
	args   [6]int
}{
	{"clock_nanosleep", unix.SYS_CLOCK_NANOSLEEP_TIME64, [6]int{unix.CLOCK_MONOTONIC, 0, -1}},
	{"pselect6", unix.SYS_PSELECT6_TIME64, [6]int{4: -1}},
	{"ppoll", unix.SYS_PPOLL_TIME64, [6]int{2: -1}},
	{"futex", unix.SYS_FUTEX_TIME64, [6]int{0: -2, 3: -1}},
	{"epoll_pwait2", unix.SYS_EPOLL_PWAIT2, [6]int{-3, -2, 1, -1}},
}

func init() {
	roles["wide-calls"] = func([]string) error {
		runtime.LockOSThread()
		epoll, err := unix.EpollCreate1(0)
		if err != nil {
			return err
		}
		var span [2]int64
		var words [4]uint64
		values := map[int]uintptr{-1: uintptr(unsafe.Pointer(&span)), -2: uintptr(unsafe.Pointer(&words)), -3: uintptr(epoll)}
		for _, c := range wideCalls {
			_ = unix.Access(MarkPrefix+c.name, 0)
			span = [2]int64{0, 3e6} // some calls write what remains
			var args [6]uintptr
			for i, of := range c.args {
				if args[i] = uintptr(of); of < 0 {
					args[i] = values[of]
				}
			}
			_, _, _ = unix.Syscall6(c.number, args[0], args[1], args[2], args[3], args[4], args[5])
		}
		_ = unix.Access(MarkPrefix+"end", 0)
		return nil
	}
}

// C libraries of 32-bit CPUs make calls with a time of 64 bits.
func TestWaitsOf64Bits(t *testing.T) {
	usableOrSkip(t)
	spans, err := Trace(t.Context(), Waits, program.Role("wide-calls"), ample)
	require.NoError(t, err)
	require.Len(t, spans, len(wideCalls))
	for i, c := range wideCalls {
		require.Contains(t, spans[i].Waits, Wait{Call: c.name, NS: int64(3 * time.Millisecond)}, "%s", spans[i].Mark)
	}
}
