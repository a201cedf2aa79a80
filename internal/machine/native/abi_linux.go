package native

import (
	"cmp"
	"runtime"

	"golang.org/x/sys/unix"
)

// NoSyscall is the number of a system call that the CPU does not have.
const NoSyscall = ^uintptr(0)

// abi is what differs between CPUs whose system calls have the same arguments.
var abi = map[string]struct {
	auditArch uint32
	sysTime   uintptr
}{
	"386": {unix.AUDIT_ARCH_I386, 13}, "amd64": {unix.AUDIT_ARCH_X86_64, 201}, "arm": {auditArch: unix.AUDIT_ARCH_ARM},
	"arm64": {auditArch: unix.AUDIT_ARCH_AARCH64}, "loong64": {auditArch: unix.AUDIT_ARCH_LOONGARCH64},
	"ppc64le": {unix.AUDIT_ARCH_PPC64LE, 13}, "riscv64": {auditArch: unix.AUDIT_ARCH_RISCV64},
	"s390x": {auditArch: unix.AUDIT_ARCH_S390X},
}[runtime.GOARCH]

var (
	// AuditArch is the architecture of system calls, as seccomp(2) and ptrace(2) report it.
	AuditArch = abi.auditArch
	// SysTime is the number of time(2), or NoSyscall.
	SysTime = cmp.Or(abi.sysTime, NoSyscall)
)
