package ptrace

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// PTRACE_GET_SYSCALL_INFO, which x/sys does not have, passes a Go pointer to the kernel: to memory on the heap, which
// does not move, converted in the argument list of the call (rule 4 of unsafe.Pointer). The request does not block, so
// RawSyscall6 does not delay the garbage collector.

// syscallInfo is struct ptrace_syscall_info (include/uapi/linux/ptrace.h), with the member entry
// of its union, and the size of the longest one.
type syscallInfo struct {
	op    uint8
	_     [3]uint8
	arch  uint32
	_     uint64 // the instruction pointer
	stack uint64
	nr    uint64
	args  [6]uint64
	_     uint64
}

// read fills the structure for a stopped thread. arch and stack are set at any stop, the rest at
// the entry of a system call. It needs Linux 5.3.
func (s *syscallInfo) read(tid int) error {
	*s = syscallInfo{}
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid),
		unsafe.Sizeof(*s), uintptr(unsafe.Pointer(s)), 0, 0)
	switch errno {
	case 0:
		return nil
	case unix.EIO: // an unknown request
		return errOldKernel
	default:
		return fmt.Errorf("PTRACE_GET_SYSCALL_INFO: %w", errno)
	}
}

var errOldKernel = errors.New("ptrace needs Linux 5.3 (PTRACE_GET_SYSCALL_INFO)")

func peek(tid int, address uint64) (uint64, error) {
	var word uintptr
	_, err := unix.PtracePeekData(tid, uintptr(address), bytesOf(&word))
	return uint64(word), err
}

// poke changes a word of the memory of a stopped thread. The address is aligned, so that the kernel
// changes this word in one step and no other.
func poke(tid int, address uint64, value uintptr) error {
	_, err := unix.PtracePokeData(tid, uintptr(address), bytesOf(&value))
	return err
}

func bytesOf(word *uintptr) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(word)), wordSize) }
