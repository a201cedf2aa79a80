//go:build linux && !amd64

package host

// perfTSCHz: only x86 CPUs have a time stamp counter.
func perfTSCHz() float64 { return 0 }
