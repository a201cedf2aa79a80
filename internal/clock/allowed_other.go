//go:build !linux

package clock

// counterAllowed returns nil: no call of these systems says whether a process may read the counter of the CPU.
func counterAllowed() error { return nil }
