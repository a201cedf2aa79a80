//go:build !linux && (386 || amd64)

package host

import "github.com/timebench/timebench/internal/machine/native"

// invariantTSC returns whether the CPU reports an invariant TSC: CPUID 80000007H, EDX bit 8
// (Intel SDM volume 3, "Invariant TSC"; AMD: TscInvariant); false without that leaf. On Linux
// /proc/cpuinfo has it.
func invariantTSC() *bool {
	const (
		last  = 0x80000000
		power = 0x80000007
		bit   = 1 << 8
	)
	invariant := false
	if have, _, _, _ := native.CPUID(last); have >= power {
		_, _, _, edx := native.CPUID(power)
		invariant = edx&bit != 0
	}
	return &invariant
}
