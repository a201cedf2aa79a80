//go:build linux && (arm64 || riscv64 || loong64)

package ptrace

// oldPaths: these CPUs do not have the calls of calls_linux_old.go.
var oldPaths map[uint64]int
