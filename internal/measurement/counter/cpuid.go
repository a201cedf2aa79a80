package counter

// A cpuid executes the instruction CPUID with EAX = leaf and ECX = 0.
type cpuid func(leaf uint32) (eax, ebx, ecx, edx uint32)

// The leaves of CPUID about frequencies: Intel SDM volume 2, CPUID. 40000010H is VMware's, which KVM and others have
// taken over (arch/x86/kernel/cpu/vmware.c; QEMU: vmware-cpuid-freq).
const (
	features       = 0x1
	crystal        = 0x15
	frequencies    = 0x16
	hypervisor     = 0x40000000
	hypervisorRate = 0x40000010
	isGuest        = 1 << 31 // in ECX of features
)

// rates returns the frequencies of the TSC that CPUID has.
func (has cpuid) rates() (all []CounterRate) {
	last, _, _, _ := has(0)
	add := func(name string, hz float64, nominal bool) {
		const slowest, fastest = 1e7, 1e11
		if hz >= slowest && hz <= fastest { // an emulator may return anything
			all = append(all, CounterRate{Name: name, HZ: hz, Nominal: nominal})
		}
	}
	if last >= crystal {
		if denominator, numerator, hz, _ := has(crystal); denominator > 0 { // the crystal's Hz may be missing
			add("CPUID 15H", float64(hz)*float64(numerator)/float64(denominator), false)
		}
	}
	if last >= frequencies {
		mhz, _, _, _ := has(frequencies)
		add("CPUID 16H", float64(mhz&0xffff)*1e6, true)
	}
	if _, _, ecx, _ := has(features); ecx&isGuest != 0 {
		if last, _, _, _ := has(hypervisor); last >= hypervisorRate {
			khz, _, _, _ := has(hypervisorRate)
			add("CPUID 40000010H", float64(khz)*1e3, false)
		}
	}
	return all
}
