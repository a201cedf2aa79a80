//go:build !arm

package clock

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// counterAllowed returns an error if this process may not read the counter of the CPU: PR_SET_TSC can
// forbid it, and then the instruction kills the process (PR_GET_TSC in prctl(2); on arm64 since Linux 6.12). A kernel
// without PR_GET_TSC always allows it.
func counterAllowed() error {
	var mode int32
	// The address is taken in the call itself. unix.Prctl would take it before its own prologue,
	// which may move the stack with mode.
	_, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_GET_TSC, uintptr(unsafe.Pointer(&mode)), 0)
	if errno == 0 && mode == unix.PR_TSC_SIGSEGV {
		return errors.New("prctl(PR_SET_TSC) forbids this process to read the counter of the CPU")
	}
	return nil
}
