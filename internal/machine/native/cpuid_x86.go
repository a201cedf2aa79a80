//go:build 386 || amd64

package native

import "sync"

// CPUID executes the instruction with EAX = leaf and ECX = 0. The leaves are described in the Intel
// SDM, volume 2, CPUID; the leaves 0 and 80000000H return the last leaf of their range. A hypervisor intercepts each
// execution: packages that ask for all features at their start take 0.25 ms.
func CPUID(leaf uint32) (eax, ebx, ecx, edx uint32)

// HasRDTSCP returns whether the CPU has the instruction RDTSCP.
var HasRDTSCP = sync.OnceValue(func() bool {
	const extended, rdtscp = 0x80000000, 1 << 27
	last, _, _, _ := CPUID(extended)
	_, _, _, edx := CPUID(extended + 1)
	return last > extended && edx&rdtscp != 0
})
