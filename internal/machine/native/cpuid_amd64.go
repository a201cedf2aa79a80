package native

// CPUID executes the instruction with EAX = leaf and ECX = 0. The leaves are described in the Intel
// SDM, volume 2, CPUID; the leaves 0 and 80000000H return the last leaf of their range. It exists
// for what github.com/klauspost/cpuid does not return: the invariant TSC bit, and the second
// signature of a hypervisor.
func CPUID(leaf uint32) (eax, ebx, ecx, edx uint32)
