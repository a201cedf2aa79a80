//go:build !linux && !windows

package thread

// Topology returns the CPUs that this process may use, each as a core of one
// package: this build does not ask the system for more.
func Topology() []CPU { return flat(Usable()) }
