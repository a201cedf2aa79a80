//go:build arm.7

package native

// Counters returns the reads of the virtual counter. A kernel may forbid them to user mode: package clock checks that.
func Counters() []Counter {
	return []Counter{
		{"CNTVCT", true, counterHz, spinCNTVCT, readCNTVCT},
		{"ISB+CNTVCT", true, counterHz, spinISBCNTVCT, readISBCNTVCT},
	}
}

// The spin functions read the virtual counter n times, n ≥ 1, and drop the values. The read functions store n
// consecutive values at ticks, which must have room for them. The CPU may read CNTVCT earlier or later, unless an ISB
// comes before it (Arm ARM for ARMv7, B8.1.2).

func spinCNTVCT(n int)

func readCNTVCT(ticks *int64, n int)

func spinISBCNTVCT(n int)

func readISBCNTVCT(ticks *int64, n int)

// counterHz returns CNTFRQ: the ticks per second of CNTVCT, as set by the firmware.
func counterHz() uint64
