//go:build !386 && !amd64 && !arm.7 && !arm64 && !loong64 && !ppc64le && !riscv64 && !s390x

package native

// Fence does nothing on CPUs whose counters this package does not read.
func Fence() {}
