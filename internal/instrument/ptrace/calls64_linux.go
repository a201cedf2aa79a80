//go:build !386 && !arm && !mips && !mipsle

package ptrace

import "golang.org/x/sys/unix"

// widePaths are the system calls with a path that have another name on 32-bit CPUs.
var widePaths = map[uint64]int{unix.SYS_NEWFSTATAT: 1}
