//go:build linux || windows || darwin

package native

// CounterCalls returns the loops for functions that read the time stamp counter, which this CPU has.
func CounterCalls() []CounterCall {
	calls := []CounterCall{{"RDTSC", "", callRDTSC}, {"LFENCE+RDTSC", "LFENCE", callLFENCERDTSC}}
	if HasRDTSCP() {
		calls = append(calls, CounterCall{"RDTSCP", "RDTSCP", callRDTSCP})
	}
	return calls
}

func callRDTSC(n int)
func callLFENCERDTSC(n int)
func callRDTSCP(n int)
