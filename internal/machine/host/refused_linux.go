package host

import (
	"slices"
	"unsafe"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// A probedCall is a system call that returns the time.
type probedCall struct {
	name   string
	number uintptr
	// hasID is whether the first argument is the id of a clock, and the second the address for the time. Otherwise the
	// first is the address.
	hasID bool
	young bool // since Linux 5.1
}

// probedCalls are the system calls of clocks that this CPU has. The C libraries of 32-bit systems call clock_gettime64
// since 2020 (musl 1.2.0, glibc 2.34 with 64-bit times).
var probedCalls = slices.DeleteFunc([]probedCall{
	{name: "clock_gettime", number: unix.SYS_CLOCK_GETTIME, hasID: true},
	{name: "clock_getres", number: unix.SYS_CLOCK_GETRES, hasID: true},
	{name: "gettimeofday", number: unix.SYS_GETTIMEOFDAY},
	{name: "time", number: native.SysTime},
	{name: "clock_gettime64", number: native.SysClockGettime, hasID: true, young: true},
}, func(call probedCall) bool {
	return call.number == native.NoSyscall || call.name == "clock_gettime64" && call.number == unix.SYS_CLOCK_GETTIME
})

// errno returns the error of the call; 0 if it succeeds. clock_gettime(2), gettimeofday(2), time(2).
func (c probedCall) errno() unix.Errno {
	var room [2]int64 // for a time of any format
	var errno unix.Errno
	if c.hasID {
		_, _, errno = unix.Syscall(c.number, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&room)), 0)
	} else {
		_, _, errno = unix.Syscall(c.number, uintptr(unsafe.Pointer(&room)), 0, 0)
	}
	return errno
}

// refusedCalls returns the system calls of clocks that fail for this process on a kernel that has them, for example
// because of a seccomp filter. A program that finds its clock in the vDSO does not notice.
func refusedCalls(kernel string) []result.RefusedCall {
	const filtered = "2" // SECCOMP_MODE_FILTER
	var refused []result.RefusedCall
	for _, call := range probedCalls {
		errno := call.errno()
		if errno == 0 || errno == unix.ENOSYS && call.young && kernellog.Older(kernel, 5, 1) {
			continue
		}
		debuglog.Printf("host", "%s(2): %v", call.name, errno)
		refused = append(refused, result.RefusedCall{Call: call.name, Errno: unix.ErrnoName(errno),
			Seccomp: procfile.Field("/proc/self/status", "Seccomp:") == filtered})
	}
	return refused
}
