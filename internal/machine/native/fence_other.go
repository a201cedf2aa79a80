//go:build !386 && !amd64 && !arm64 && !riscv64

package native

// Fence does nothing on CPUs whose counters this package does not read.
func Fence() {}
