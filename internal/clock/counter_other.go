//go:build !amd64 && !arm64

package clock

// counterClocks returns nothing: this build has no loop for the CPU counter.
func counterClocks() []Clock { return nil }
