package native

// CPUID is the instruction with EAX = leaf and ECX = 0: what the CPU, or its hypervisor,
// tells of itself. What the leaves mean, and that the leaves 80000000H and 0 tell the
// last of their kind, is in the Intel SDM, volume 2, CPUID. What
// github.com/klauspost/cpuid tells is asked there; it reads the leaf of the invariant TSC
// and leaves that bit out.
func CPUID(leaf uint32) (eax, ebx, ecx, edx uint32)
