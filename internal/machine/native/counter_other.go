//go:build !386 && !amd64 && !arm.7 && !arm64 && !loong64 && !ppc64le && !riscv64 && !s390x

package native

// Counters returns nothing: this build has no loop for the counter of the CPU.
func Counters() []Counter { return nil }

// Fence does nothing on CPUs whose counters this package does not read.
func Fence() {}
