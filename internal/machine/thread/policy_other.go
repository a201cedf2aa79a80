//go:build !linux

package thread

// RealTimePolicy returns "": on this system no scheduling policy keeps all other threads off a
// CPU.
func RealTimePolicy() string { return "" }

func ordinary() error { return nil }
