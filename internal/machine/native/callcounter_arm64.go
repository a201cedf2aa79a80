//go:build linux || windows || darwin

package native

// CounterCalls returns the loops for functions that read the virtual counter.
func CounterCalls() []CounterCall {
	return []CounterCall{{"CNTVCT_EL0", "", callCNTVCT}, {"ISB+CNTVCT_EL0", "ISB", callISBCNTVCT}}
}

func callCNTVCT(n int)
func callISBCNTVCT(n int)
