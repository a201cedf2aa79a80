//go:build !386 && !amd64 && !arm64 && !riscv64

package native

// Counters returns nothing: this build has no loop for the counter of the CPU.
func Counters() []Counter { return nil }
