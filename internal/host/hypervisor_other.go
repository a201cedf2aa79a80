//go:build !amd64

package host

// cpuHypervisor: only x86 CPUs tell of their hypervisor.
func cpuHypervisor() string { return "" }
