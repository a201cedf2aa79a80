//go:build linux && !arm64 && !riscv64 && !loong64

package ptrace

import "golang.org/x/sys/unix"

// oldPaths are the system calls with a path that newer CPUs do not have, with the index of the argument.
var oldPaths = map[uint64]int{
	unix.SYS_ACCESS:   0,
	unix.SYS_LSTAT:    0,
	unix.SYS_OPEN:     0,
	unix.SYS_READLINK: 0,
	unix.SYS_STAT:     0,
}
