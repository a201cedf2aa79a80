package native

import "golang.org/x/sys/unix"

const (
	// AuditArch is the architecture of system calls, as seccomp(2) and ptrace(2) report it.
	AuditArch = unix.AUDIT_ARCH_I386
	// SysTime is the number of time(2).
	SysTime uintptr = unix.SYS_TIME
)

// vsyscall is the address of __kernel_vsyscall of the vDSO; 0 if the kernel names none.
var vsyscall = func() uintptr { //nolint:unused // the assembly uses it
	const atSysinfo = 32 // AT_SYSINFO of getauxval(3)
	vector, _ := unix.Auxv()
	for _, pair := range vector {
		if pair[0] == atSysinfo {
			return pair[1]
		}
	}
	return 0
}()
