package native

// Counters returns the read of the time base, which all CPUs share. Its rate is in the device tree.
func Counters() []Counter { return []Counter{{"MFTB", true, measured, spinMFTB, readMFTB}} }

// spinMFTB reads the time base n times, n ≥ 1, and drops the values (Power ISA, book II, "Time Base").
func spinMFTB(n int)

// readMFTB is spinMFTB with the values kept at ticks, which must have room for n.
func readMFTB(ticks *int64, n int)
