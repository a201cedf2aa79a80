package native

// CPUID is the instruction with EAX = leaf and ECX = 0: what the CPU, or its hypervisor,
// tells of itself. What the leaves mean, and that the leaves 80000000H and 0 tell the
// last of their kind, is in the Intel SDM, volume 2, CPUID.
func CPUID(leaf uint32) (eax, ebx, ecx, edx uint32)
