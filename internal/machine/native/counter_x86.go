//go:build 386 || amd64

package native

// Counters returns the instructions that read the time stamp counter.
func Counters() []Counter {
	return []Counter{
		// Every CPU that Go supports has RDTSC and LFENCE (SSE2); RDTSCP came later.
		{"RDTSC", true, measured, SpinRDTSC, ReadRDTSC},
		{"LFENCE+RDTSC", true, measured, SpinLFENCERDTSC, ReadLFENCERDTSC},
		{"RDTSCP", HasRDTSCP(), measured, SpinRDTSCP, ReadRDTSCP},
	}
}

// The Spin functions read the time stamp counter n times, n ≥ 1, and drop the values. The Read functions store n
// consecutive values at ticks, which must have room for them. The Intel SDM, volume 2, RDTSC and RDTSCP, describes what
// each instruction waits for.

// SpinRDTSC waits for nothing: the CPU may execute it earlier or later.
func SpinRDTSC(n int)

// ReadRDTSC is SpinRDTSC with the values kept.
func ReadRDTSC(ticks *int64, n int)

// SpinLFENCERDTSC waits for all earlier instructions.
func SpinLFENCERDTSC(n int)

// ReadLFENCERDTSC is SpinLFENCERDTSC with the values kept.
func ReadLFENCERDTSC(ticks *int64, n int)

// SpinRDTSCP waits for all earlier instructions but not for their stores.
func SpinRDTSCP(n int)

// ReadRDTSCP is SpinRDTSCP with the values kept.
func ReadRDTSCP(ticks *int64, n int)
