//go:build !amd64

package host

// cpuHypervisor returns "": only x86 CPUs report their hypervisor.
func cpuHypervisor() string { return "" }
