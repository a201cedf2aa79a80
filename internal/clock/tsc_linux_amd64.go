package clock

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// timeStampCounterAllowed asks whether this process may read the time stamp
// counter: PR_SET_TSC can forbid it, and the instruction then kills. See
// PR_GET_TSC in prctl(2). A kernel that does not know the question allows it.
func timeStampCounterAllowed() error {
	var mode int32
	// The address is taken in the call itself: unix.Prctl would take it before its
	// own prologue, which may move the stack that mode is on.
	_, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_GET_TSC, uintptr(unsafe.Pointer(&mode)), 0)
	if errno == 0 && mode == unix.PR_TSC_SIGSEGV {
		return errors.New("prctl(PR_SET_TSC) forbids this process to read the time stamp counter")
	}
	return nil
}
