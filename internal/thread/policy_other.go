//go:build !linux

package thread

// RealTimePolicy returns "": on this system no scheduling policy keeps everything else
// from a CPU.
func RealTimePolicy() string { return "" }

func ordinary() error { return nil }
