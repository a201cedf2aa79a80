//go:build !linux

package spin

// ownsCPU is false: no thread keeps its CPU from others of its priority.
func ownsCPU() bool { return false }
