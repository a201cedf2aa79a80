//go:build !linux

package thread

// Isolated returns nil: this system keeps no CPUs from the scheduler.
func Isolated() []int { return nil }
