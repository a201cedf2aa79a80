package entry

import (
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

const auditArch = unix.AUDIT_ARCH_X86_64

var archSystemCalls = []systemCall{
	{"time", unix.SYS_TIME, 0, func(buffer unsafe.Pointer, n int) int {
		return native.SyscallBuffer(unix.SYS_TIME, buffer, 0, n)
	}},
}
