package wake

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// Each way sleeps in the system call of its name, as the kernel reports it meanwhile.
func TestWaysMakeTheirCall(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	file := fmt.Sprintf("/proc/self/task/%d/syscall", unix.Gettid())
	if _, err := os.ReadFile(file); err != nil {
		need.Missing(t, "/proc/PID/task/TID/syscall", err.Error()) // a sandbox, or a kernel without it
	}
	numbers := map[string]int{
		"nanosleep": unix.SYS_NANOSLEEP, "clock_nanosleep": unix.SYS_CLOCK_NANOSLEEP, "timerfd": unix.SYS_READ,
		"ppoll": unix.SYS_PPOLL, "poll": unix.SYS_POLL, "select": unix.SYS_PSELECT6, "futex": unix.SYS_FUTEX,
		"epoll_pwait2": unix.SYS_EPOLL_PWAIT2, "epoll_wait": unix.SYS_EPOLL_PWAIT, "io_uring": unix.SYS_IO_URING_ENTER,
	}
	for _, way := range systemWays {
		name, _, _ := strings.Cut(way.ID, "@")
		sleep, err := way.open()
		if err != nil {
			continue // not permitted
		}
		var seen atomic.Bool
		want, over := fmt.Sprintf("%d ", numbers[name]), make(chan bool)
		go func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(5 * time.Millisecond):
					if text, _ := os.ReadFile(file); strings.HasPrefix(string(text), want) {
						seen.Store(true)
					}
				}
			}
		}()
		// On a busy machine the other goroutine needs a longer sleep to look in time. The Go runtime sends signals.
		for span := 50 * time.Millisecond; !seen.Load() && (err == nil || errors.Is(err, unix.EINTR)); span *= 2 {
			require.Less(t, span, time.Minute, way.ID)
			_, err = sleep.sleep(int64(span))
		}
		close(over)
	}
}
