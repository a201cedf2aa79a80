package ptrace

import "golang.org/x/sys/unix"

// auditArch is the architecture of 64-bit system calls as PTRACE_GET_SYSCALL_INFO reports it.
const auditArch = unix.AUDIT_ARCH_X86_64

// archPaths are the system calls with a path that arm64 does not have, with the index of the
// argument.
var archPaths = map[uint64]int{
	unix.SYS_ACCESS:   0,
	unix.SYS_LSTAT:    0,
	unix.SYS_OPEN:     0,
	unix.SYS_READLINK: 0,
	unix.SYS_STAT:     0,
}

// archReads are the system calls that read a clock and that arm64 does not have.
var archReads = map[uint64]string{unix.SYS_TIME: "time"}
