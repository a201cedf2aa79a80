package native

// Counters returns the read of the timer, which all CPUs share. Its rate is in the device tree or the ACPI tables.
func Counters() []Counter { return []Counter{{"RDTIME", true, measured, SpinRDTIME, ReadRDTIME}} }

// SpinRDTIME reads the time CSR n times, n ≥ 1, and drops the values (RISC-V unprivileged ISA, Zicntr).
// A CPU without it traps to the firmware at each read.
func SpinRDTIME(n int)

// ReadRDTIME is SpinRDTIME with the values kept at ticks, which must have room for n.
func ReadRDTIME(ticks *int64, n int)
