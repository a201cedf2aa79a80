package native

import "golang.org/x/sys/unix"

const (
	// AuditArch is the architecture of system calls, as seccomp(2) and ptrace(2) report it.
	AuditArch = unix.AUDIT_ARCH_LOONGARCH64
	// SysTime is the number of time(2).
	SysTime = NoSyscall
)
