package measure

import (
	"math"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of futex(2). They are not private, because processes may share the word.
const (
	futexWait = 0
	futexWake = 1
)

// sleepWhile stops this thread while the word has the value, for at most the span; it may return earlier. The runtime
// does not move a stack during a system call, so the timeout may be on it.
func sleepWhile(word *atomic.Uint32, value uint32, span time.Duration) {
	timeout := unix.NsecToTimespec(int64(span))
	_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value),
		uintptr(unsafe.Pointer(&timeout)), 0, 0)
}

func wakeAll(word *atomic.Uint32) {
	_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, math.MaxInt32, 0, 0, 0)
}
