//go:build amd64 || arm64

package clock

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"unsafe"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

const (
	addsEntry  = "enter and leave the kernel"
	addsKernel = "the call in the kernel"
	addsSource = "read the clock source"
)

// noClock is the id of no clock of clock_gettime(2). Lower numbers may become one, and negative ones are clocks of processes
// and devices.
const noClock = math.MaxInt32

// coarseOf are the clocks of clock_gettime(2) whose parts are known, each with the one that differs from it only in that it
// does not read the clock source.
var coarseOf = map[string]int32{"CLOCK_MONOTONIC": unix.CLOCK_MONOTONIC_COARSE, "CLOCK_REALTIME": unix.CLOCK_REALTIME_COARSE}

// systemSteps returns the steps inside the read of a clock, and what the read adds to them; none if they are not known.
//
// The empty system call is the clock's own with an argument for which it does nothing: clock_gettime with a clock that
// does not exist, and gettimeofday without a result. A filter of system calls passes it as it passes the clock's, in the same
// time. getpid(2) is no empty call: with the mitigations of an AMD EPYC it takes 40 ns more.
func systemSteps(c Clock, enters string) (steps []Step, last string) {
	call, _, _ := strings.Cut(c.ID, "@")
	coarse, hasCoarse := coarseOf[call]
	switch {
	case !hasCoarse && call != "gettimeofday":
		return nil, ""
	case enters != result.Always:
		return byCounter(enters, vdsoOrder())
	case !hasCoarse:
		empty := func(n int) int { return native.SyscallBuffer(unix.SYS_GETTIMEOFDAY, nil, 0, n) }
		return []Step{{ID: "gettimeofday(NULL)@syscall", Adds: addsEntry, Open: openEmpty(empty, 0)}}, addsKernel + ", " + addsSource
	default:
		empty := func(n int) int { return native.SyscallIDBuffer(unix.SYS_CLOCK_GETTIME, noClock, nil, 0, n) }
		return []Step{
			{ID: "clock_gettime of no clock@syscall", Adds: addsEntry, Open: openEmpty(empty, -int(unix.EINVAL))},
			{ID: call + "_COARSE@syscall", Adds: addsKernel, Open: func() (Reader, error) {
				return opened(clockReader(timespec, func(buffer unsafe.Pointer, step uintptr, n int) int {
					return native.SyscallIDBuffer(unix.SYS_CLOCK_GETTIME, uintptr(coarse), buffer, step, n)
				}))
			}},
		}, addsSource
	}
}

// openEmpty opens a system call that does nothing, and returns want.
func openEmpty(spin func(n int) int, want int) func() (Reader, error) {
	return func() (Reader, error) {
		if got := spin(1); got != want {
			return nil, fmt.Errorf("the empty system call returns %d, not %d", got, want)
		}
		return spinner(func(n int) { spin(n) }), nil
	}
}

// vdsoOrder returns how the vDSO of this process reads the counter in order; "" if it is not known.
var vdsoOrder = sync.OnceValue(func() string {
	code, err := vdso.Code()
	if err != nil {
		debuglog.Printf("vdso", "code: %v", err)
		return ""
	}
	order := orderIn(code)
	debuglog.Printf("vdso", "reads the counter in order by %q", order)
	return order
})
