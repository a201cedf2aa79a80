//go:build !windows

package thread

// disperse does nothing: these systems spread busy threads over all CPUs themselves.
func disperse(int) {}
