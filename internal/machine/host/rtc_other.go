//go:build !linux

package host

// RTCSeconds returns false: this build reads no real-time clock.
func RTCSeconds() (seconds int64, ok bool) { return 0, false }
