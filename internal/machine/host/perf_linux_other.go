//go:build linux && !386 && !amd64

package host

// perfTSCHz returns 0: only x86 CPUs have a time stamp counter.
func perfTSCHz() float64 { return 0 }
