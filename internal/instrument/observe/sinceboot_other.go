//go:build !linux && !windows && !darwin

package observe

// CountsSuspend returns whether SinceBoot counts the time of a suspended machine.
func CountsSuspend() bool { return false }

// SinceBoot returns the stopwatch, because no clock that counts suspend is known for this system.
func SinceBoot() int64 { return Now() }
