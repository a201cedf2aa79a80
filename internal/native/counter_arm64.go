package native

// The Spin functions read the virtual counter n times, n ≥ 1, and drop the
// values. The Read functions store n consecutive values at ticks, which has
// room for them. Arm ARM, D11.2: a read of CNTVCT_EL0 may be made early or late
// unless an ISB stands before it.

// SpinCNTVCT waits for nothing.
func SpinCNTVCT(n int)

// ReadCNTVCT is SpinCNTVCT with the values kept.
func ReadCNTVCT(ticks *int64, n int)

// SpinISBCNTVCT waits for all earlier instructions.
func SpinISBCNTVCT(n int)

// ReadISBCNTVCT is SpinISBCNTVCT with the values kept.
func ReadISBCNTVCT(ticks *int64, n int)

// CounterHz returns CNTFRQ_EL0: ticks a second of CNTVCT_EL0, as the firmware
// wrote it there.
func CounterHz() uint64
