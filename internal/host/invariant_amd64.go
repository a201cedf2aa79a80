//go:build !linux

package host

import "github.com/timebench/timebench/internal/native"

// invariantTSC says whether the CPU promises that its time stamp counter keeps its rate in
// every state: CPUID 80000007H, EDX bit 8 (Intel SDM volume 3, "Invariant TSC"; AMD's
// manual calls it TscInvariant). A CPU that does not have the leaf promises nothing. It is what
// /proc/cpuinfo tells on Linux.
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
