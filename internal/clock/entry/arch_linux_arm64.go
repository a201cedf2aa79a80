package entry

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archSystemCalls: arm64 has no system call time(2).
var archSystemCalls []systemCall
