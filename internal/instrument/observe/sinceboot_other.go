//go:build !linux && !windows && !darwin

package observe

// SinceBoot returns the stopwatch: this build knows no clock that counts suspend.
func SinceBoot() int64 { return Now() }
