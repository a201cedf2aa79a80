//go:build 386 || amd64

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

// cpuHypervisor returns the hypervisor that the CPU reports, or its signature if unknown; "" without one.
func cpuHypervisor() string {
	const present = 1 << 31
	if _, _, ecx, _ := native.CPUID(1); ecx&present == 0 {
		return ""
	}
	return hypervisorBy(native.CPUID)
}

// hypervisorBy returns the hypervisor by its signature. KVM and Xen can imitate Hyper-V, for Windows guests. Then the
// first leaf has its signature, or a signature that the user sets (hv-vendor-id of QEMU), and leaf 40000100H has their
// own.
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
