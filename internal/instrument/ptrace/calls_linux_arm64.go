package ptrace

import "golang.org/x/sys/unix"

// auditArch is the architecture of 64-bit system calls as PTRACE_GET_SYSCALL_INFO reports it.
const auditArch = unix.AUDIT_ARCH_AARCH64

// arm64 has no system calls of its own here: see calls_linux_amd64.go.
var (
	archPaths map[uint64]int
	archReads map[uint64]string
)
