//go:build 386 || arm || mips || mipsle

package ptrace

import "golang.org/x/sys/unix"

// widePaths are the system calls with a path that have another name on 64-bit CPUs.
var widePaths = map[uint64]int{unix.SYS_FSTATAT64: 1, unix.SYS_LSTAT64: 0, unix.SYS_STAT64: 0, unix.SYS_STATFS64: 0}
