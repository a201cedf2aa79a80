package entry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// mark is the errno that the filter returns: no system call returns it, below the 4095
// that the kernel allows (MAX_ERRNO).
const mark = 0xbad

// proofs is how often each read is tested, because a vDSO may enter the kernel only sometimes.
const proofs = 16

// untouched fills the buffer before each read: no clock returns -1 seconds.
const untouched = -1

// A probe owns the buffer by which the filter recognises the probe's reads. The buffer is on the
// heap, because it is passed to functions that the compiler does not know. The heap does not
// move, so the filter can hold the address as a number.
type probe struct{ buffer *[2]int64 }

// read makes one read, and returns whether the filter answered it and whether the clock filled the buffer.
func (p probe) read(read Read) (filtered, filled bool) {
	*p.buffer = [2]int64{untouched, untouched}
	returned := int32(read(unsafe.Pointer(p.buffer), 1))
	runtime.KeepAlive(p.buffer)
	filled = p.buffer[0] != untouched
	return !filled && returned == -mark, filled
}

// control makes the system calls directly. The filter must answer all of them: otherwise a
// system that only pretends to have filters would pass every clock.
func (p probe) control() error {
	for _, call := range systemCalls {
		if filtered, _ := p.read(call.read); !filtered {
			return fmt.Errorf("a filter for %s was installed but has no effect", call.name)
		}
	}
	return nil
}

func (p probe) prove(read Read) Verdict {
	var entered, not int
	for range proofs {
		filtered, filled := p.read(read)
		switch {
		case filtered:
			entered++
		case filled:
			not++
		}
	}
	const by = "seccomp"
	switch {
	case entered == proofs:
		return Verdict{result.Always, by}
	case not == proofs:
		return Verdict{result.Never, by}
	case entered > 0 && not > 0:
		return Verdict{result.Sometimes, by}
	default:
		return Verdict{result.Unknown, "the read fails"}
	}
}

// systemCalls are the system calls that vDSO functions fall back to, each with the index of its buffer argument.
var systemCalls = slices.DeleteFunc([]systemCall{
	gettime("clock_gettime", native.SysClockGettime), gettime("clock_gettime of 32 bits", native.SysClockGettime32),
	withoutID("gettimeofday", unix.SYS_GETTIMEOFDAY), withoutID("time", native.SysTime),
}, func(call systemCall) bool { return call.nr == native.NoSyscall })

func gettime(name string, nr uintptr) systemCall {
	return systemCall{name, nr, 1, func(buffer unsafe.Pointer, n int) int {
		return native.SyscallIDBuffer(nr, unix.CLOCK_MONOTONIC, buffer, 0, n)
	}}
}

func withoutID(name string, nr uintptr) systemCall {
	return systemCall{name, nr, 0, func(buffer unsafe.Pointer, n int) int {
		return native.SyscallBuffer(nr, buffer, 0, n)
	}}
}

type systemCall struct {
	name     string
	nr       uintptr
	argument uint32
	read     Read
}

// installFilter installs the filter on this thread, which must end afterwards, because a filter
// cannot be removed. The Go runtime never starts a thread from a locked one (runtime.newm), so
// no other thread inherits it. A process that this thread starts would.
func installFilter(buffer *[2]int64) error {
	if _, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", errno)
	}
	instructions := filter(uint64(uintptr(unsafe.Pointer(buffer))))
	program := &unix.SockFprog{Len: uint16(len(instructions)), Filter: &instructions[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
		uintptr(unsafe.Pointer(program)))
	runtime.KeepAlive(instructions)
	return refusal(errno)
}

func refusal(errno syscall.Errno) error {
	switch {
	case errno == 0:
		return nil
	case errors.Is(errno, syscall.EINVAL):
		return errors.New("this kernel has no seccomp filters")
	default:
		return fmt.Errorf("PR_SET_SECCOMP: %w", errno)
	}
}

// Offsets in struct seccomp_data (include/uapi/linux/seccomp.h): the number of the system call,
// the architecture, and the 64-bit arguments in the byte order of the CPU.
const (
	dataNumber    = 0
	dataArch      = 4
	dataArguments = 16
)

// filter returns a classic BPF program: it answers one of systemCalls whose buffer is at the
// address with [mark], and allows everything else.
func filter(address uint64) []unix.SockFilter {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		end   = unix.BPF_RET | unix.BPF_K
	)
	allow := unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ALLOW}
	program := []unix.SockFilter{
		{Code: load, K: dataArch}, {Code: equal, K: native.AuditArch, Jt: 1}, allow,
	}
	var bytes [8]byte
	binary.NativeEndian.PutUint64(bytes[:], address)
	first, second := binary.NativeEndian.Uint32(bytes[:4]), binary.NativeEndian.Uint32(bytes[4:])
	for _, d := range systemCalls {
		argument := dataArguments + 8*d.argument
		program = append(program,
			unix.SockFilter{Code: load, K: dataNumber},
			unix.SockFilter{Code: equal, K: uint32(d.nr), Jf: 5},
			unix.SockFilter{Code: load, K: argument},
			unix.SockFilter{Code: equal, K: first, Jf: 3},
			unix.SockFilter{Code: load, K: argument + 4},
			unix.SockFilter{Code: equal, K: second, Jf: 1},
			unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | mark},
		)
	}
	return append(program, allow)
}
