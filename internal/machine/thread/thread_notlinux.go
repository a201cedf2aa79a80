//go:build !linux

package thread

// Isolated returns nil: this system keeps no CPUs from the scheduler.
func Isolated() []int { return nil }

// RealTimePolicy returns "": on this system no scheduling policy keeps all other threads off a
// CPU.
func RealTimePolicy() string { return "" }

func ordinary() error { return nil }

// Urgent does nothing on this system.
func Urgent() (end func()) { return func() {} }
