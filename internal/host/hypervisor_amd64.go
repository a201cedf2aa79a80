package host

import (
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// hypervisors are the names for the signatures of CPUID leaf 40000000H.
var hypervisors = map[string]string{
	"KVMKVMKVM":    "kvm",
	"Linux KVM Hv": "kvm",
	"Microsoft Hv": "hyperv",
	"VMwareVMware": "vmware",
	"XenVMMXenVMM": "xen",
	"VBoxVBoxVBox": "virtualbox",
	"TCGTCGTCGTCG": "qemu",
	"bhyve bhyve ": "bhyve",
	"ACRNACRNACRN": "acrn",
	" lrpepyh vr":  "parallels",
	"Apple VZ":     "apple",
}

// cpuHypervisor returns the hypervisor that the CPU tells of; empty where there
// is none. An unknown one is given by its signature.
func cpuHypervisor() string {
	if !cpuid.CPU.Supports(cpuid.HYPERVISOR) {
		return ""
	}
	signature := cpuid.CPU.HypervisorVendorString
	for known, name := range hypervisors {
		if strings.TrimSpace(signature) == strings.TrimSpace(known) {
			return name
		}
	}
	return strings.TrimSpace(signature)
}
