//go:build 386 || amd64

package counter

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/system/procfile"
)

// khzFile is a file of a module outside Linux, which some machines load for programs that read the counter.
const khzFile = "/sys/devices/system/cpu/cpu0/tsc_freq_khz"

// systemRates returns the frequencies that programs can read here.
func systemRates() []CounterRate {
	all := cpuid(native.CPUID).rates()
	text, _ := procfile.Read(khzFile) // most machines do not have it
	if khz, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32); err == nil && khz > 0 {
		all = append(all, CounterRate{Name: "tsc_freq_khz", HZ: float64(khz) * 1e3})
	}
	return all
}

// A cpuid executes the instruction CPUID with EAX = leaf and ECX = 0.
type cpuid func(leaf uint32) (eax, ebx, ecx, edx uint32)

// rates returns the frequencies of the TSC that CPUID has: Intel SDM volume 2, CPUID. Leaf 40000010H is VMware's, which
// KVM and others have taken over (arch/x86/kernel/cpu/vmware.c; QEMU: vmware-cpuid-freq).
func (has cpuid) rates() (all []CounterRate) {
	add := func(leaf string, hz float64) {
		if hz >= 1e7 && hz <= 1e11 { // an emulator may return anything
			all = append(all, CounterRate{Name: "CPUID " + leaf, HZ: hz, Nominal: leaf == "16H"})
		}
	}
	last, _, _, _ := has(0)
	if denominator, numerator, hz, _ := has(0x15); last >= 0x15 && denominator > 0 { // the crystal's Hz may be missing
		add("15H", float64(hz)*float64(numerator)/float64(denominator))
	}
	if mhz, _, _, _ := has(0x16); last >= 0x16 {
		add("16H", float64(mhz&0xffff)*1e6)
	}
	if _, _, features, _ := has(1); features>>31 == 1 { // a guest
		if last, _, _, _ := has(0x40000000); last >= 0x40000010 {
			khz, _, _, _ := has(0x40000010)
			add("40000010H", float64(khz)*1e3)
		}
	}
	return all
}
