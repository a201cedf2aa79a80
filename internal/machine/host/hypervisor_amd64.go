package host

import (
	"encoding/binary"
	"strings"

	"github.com/timebench/timebench/internal/machine/native"
)

// hypervisors are the names of the signatures in CPUID leaf 40000000H.
var hypervisors = map[string]string{
	"KVMKVMKVM":    "kvm",
	"Linux KVM Hv": "kvm",
	"Microsoft Hv": "hyperv",
	"VMwareVMware": "vmware",
	"XenVMMXenVMM": "xen",
	"VBoxVBoxVBox": "virtualbox",
	"TCGTCGTCGTCG": "tcg",
	"bhyve bhyve ": "bhyve",
	"ACRNACRNACRN": "acrn",
	" lrpepyh vr ": "parallels",
	"Apple VZ":     "apple",
}

// cpuHypervisor returns the hypervisor that the CPU reports, an unknown one by its signature;
// "" if there is none.
func cpuHypervisor() string {
	const present = 1 << 31
	if _, _, ecx, _ := native.CPUID(1); ecx&present == 0 {
		return ""
	}
	return hypervisorBy(native.CPUID)
}

// hypervisorBy returns the hypervisor by its signature. KVM and Xen that behave as Hyper-V, for
// guests with Windows, have its signature in the first leaf, or another that their users set
// (hv-vendor-id of QEMU). Their own is then in leaf 40000100H.
func hypervisorBy(cpuid func(leaf uint32) (eax, ebx, ecx, edx uint32)) string {
	var signature string
	for _, leaf := range []uint32{0x40000100, 0x40000000} {
		_, ebx, ecx, edx := cpuid(leaf)
		var letters []byte
		for _, register := range []uint32{ebx, ecx, edx} {
			letters = binary.LittleEndian.AppendUint32(letters, register)
		}
		signature = strings.TrimRight(string(letters), "\x00")
		if name, known := hypervisors[signature]; known {
			return name
		}
	}
	return strings.TrimSpace(signature)
}
