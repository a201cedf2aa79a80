package native

// HasRDTSCP returns false: only x86 has the instruction.
func HasRDTSCP() bool { return false }

// Counters returns the reads of the virtual counter.
func Counters() []Counter {
	return []Counter{
		{"CNTVCT_EL0", true, CounterHz, SpinCNTVCT, ReadCNTVCT},
		{"ISB+CNTVCT_EL0", true, CounterHz, SpinISBCNTVCT, ReadISBCNTVCT},
	}
}

// The Spin functions read the virtual counter n times, n ≥ 1, and drop the values. The Read
// functions store n consecutive values at ticks, which must have room for them. The CPU may read
// CNTVCT_EL0 earlier or later, unless an ISB comes before it (Arm ARM, D11.2).

// SpinCNTVCT waits for nothing.
func SpinCNTVCT(n int)

// ReadCNTVCT is SpinCNTVCT with the values kept.
func ReadCNTVCT(ticks *int64, n int)

// SpinISBCNTVCT waits for all earlier instructions.
func SpinISBCNTVCT(n int)

// ReadISBCNTVCT is SpinISBCNTVCT with the values kept.
func ReadISBCNTVCT(ticks *int64, n int)

// CounterHz returns CNTFRQ_EL0: the ticks per second of CNTVCT_EL0, as set by the firmware.
func CounterHz() uint64
