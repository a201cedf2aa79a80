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
	addsEntry   = "enter and leave the kernel"
	addsKernel  = "the call in the kernel"
	addsSource  = "read the clock source"
	addsWrapper = "call and return of the wrapper"
)

// noClock is an id without a clock of clock_gettime(2). Lower numbers may become clocks, and negative numbers are
// clocks of processes and devices.
const noClock = math.MaxInt32

// layered are the clocks of clock_gettime(2) whose parts are known, each with its coarse clock, which differs only by
// not reading the clock source.
var layered = map[string]struct{ id, coarse int32 }{
	"CLOCK_MONOTONIC": {unix.CLOCK_MONOTONIC, unix.CLOCK_MONOTONIC_COARSE},
	"CLOCK_REALTIME":  {unix.CLOCK_REALTIME, unix.CLOCK_REALTIME_COARSE},
}

// systemLayers returns the layers inside the read of a clock, and what the read adds to them; nil if they are unknown.
//
// The empty system call is the clock's own call with an argument for which it does nothing: clock_gettime with a clock
// that does not exist, and gettimeofday without a result. A filter of system calls passes both in the same time.
// getpid(2) is not an empty call: with the mitigations of an AMD EPYC it takes 40 ns more.
//
// The loops of the layers have the instruction inline. Programs call it through a function of libc or of the vDSO.
// Kernels with mitigations flush the return predictor, so this function returns far slower than an empty call, and
// differently after each system call: it is a layer of its own.
func systemLayers(c Clock, enters string) (layers []Layer, last string) {
	call, _, _ := strings.Cut(c.ID, "@")
	ids, byID := layered[call]
	switch {
	case !byID && call != "gettimeofday":
		return nil, ""
	case enters != result.Always:
		return byCounter(enters, vdsoOrder())
	case !byID:
		return []Layer{
			inline("gettimeofday(NULL)", addsEntry, 0, func(_ unsafe.Pointer, n int) int {
				return native.SyscallInline(unix.SYS_GETTIMEOFDAY, 0, 0, n)
			}),
			inline("gettimeofday", addsKernel+", "+addsSource, 0, func(buffer unsafe.Pointer, n int) int {
				return native.SyscallInline(unix.SYS_GETTIMEOFDAY, uintptr(buffer), 0, n)
			}),
		}, addsWrapper
	default:
		of := func(id int32) func(unsafe.Pointer, int) int {
			return func(buffer unsafe.Pointer, n int) int {
				return native.SyscallInline(unix.SYS_CLOCK_GETTIME, uintptr(id), uintptr(buffer), n)
			}
		}
		return []Layer{
			inline("clock_gettime of no clock", addsEntry, -int(unix.EINVAL), of(noClock)),
			inline(call+"_COARSE", addsKernel, 0, of(ids.coarse)),
			inline(call, addsSource, 0, of(ids.id)),
		}, addsWrapper
	}
}

// inline returns the layer of a loop with a system call, which returns want.
func inline(call, adds string, want int, spin func(buffer unsafe.Pointer, n int) int) Layer {
	return Layer{ID: call + " inline", Adds: adds, Open: func() (Reader, error) {
		buffer := newResultBuffer(leastWords)
		at := unsafe.Pointer(&buffer[0])
		if got := spin(at, 1); got != want {
			return nil, fmt.Errorf("the system call returns %d, not %d", got, want)
		}
		return spinner(func(n int) { spin(at, n) }), nil
	}}
}

// vdsoOrder returns how the vDSO of this process reads the counter in order; "" if unknown.
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
