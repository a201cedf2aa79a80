package native

// A Counter is an instruction that reads a counter of the CPU in user mode, with what it waits for.
type Counter struct {
	// Name is the instruction or the register, as the manual of the CPU spells it.
	Name string
	// Present: the CPU has the instruction.
	Present bool
	// Hz returns the ticks per second; 0 if they must be measured. Where the counter is forbidden,
	// it must not be called.
	Hz func() uint64
	// Spin reads n times, n ≥ 1, and drops the values.
	Spin func(n int)
	// Read stores n consecutive values at ticks, which must have room for them.
	Read func(ticks *int64, n int)
}

// measured is the Hz of a counter whose rate must be measured.
func measured() uint64 { return 0 }

// A CounterCall is the loop of CallNothing for a function that reads a counter of the CPU, returns, and is called by
// nothing else. So the difference to CallNothing is the read alone.
type CounterCall struct {
	// Name is the name of the [Counter].
	Name string
	// Order is the instruction that keeps the read in program order; "" if none does.
	Order string
	// Call calls the function n times, n ≥ 1.
	Call func(n int)
}
