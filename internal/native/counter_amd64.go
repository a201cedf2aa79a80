package native

// The Spin functions read the time stamp counter n times, n ≥ 1, and drop the
// values. The Read functions store n consecutive values at ticks, which has
// room for them. Intel SDM volume 2, RDTSC and RDTSCP, says what each waits for:
// RDTSC for nothing, LFENCE+RDTSC for all earlier instructions, RDTSCP for all
// earlier ones but not for their stores.

func SpinRDTSC(n int)
func ReadRDTSC(ticks *int64, n int)
func SpinLFENCERDTSC(n int)
func ReadLFENCERDTSC(ticks *int64, n int)
func SpinRDTSCP(n int)
func ReadRDTSCP(ticks *int64, n int)
