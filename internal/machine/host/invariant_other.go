//go:build !linux && !386 && !amd64

package host

// invariantTSC returns nil: only x86 CPUs have a time stamp counter.
func invariantTSC() *bool { return nil }
