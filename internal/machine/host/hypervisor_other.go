//go:build !386 && !amd64

package host

// cpuHypervisor returns "": only x86 CPUs report their hypervisor.
func cpuHypervisor() string { return "" }
