package native

// Counters returns the read of the stable counter, which all CPUs share. Its rate is in CPUCFG.
func Counters() []Counter { return []Counter{{"RDTIME.D", true, measured, spinRDTIMED, readRDTIMED}} }

// spinRDTIMED reads the counter n times, n ≥ 1, and drops the values (LoongArch reference manual, 2.2.10.4).
func spinRDTIMED(n int)

// readRDTIMED is spinRDTIMED with the values kept at ticks, which must have room for n.
func readRDTIMED(ticks *int64, n int)
