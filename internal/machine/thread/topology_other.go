//go:build !linux && !windows

package thread

// Topology returns the CPUs that this process may use, each as a core of one package: this build
// does not query the topology.
func Topology() []CPU { return flat(Usable()) }
