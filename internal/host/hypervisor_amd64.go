package host

import (
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// hypervisors are the names of the signatures in CPUID leaf 40000000H.
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

// cpuHypervisor returns the hypervisor that the CPU reports, an unknown one by its signature;
// "" if there is none.
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
