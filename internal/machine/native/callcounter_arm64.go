//go:build linux || windows || darwin

package native

// The functions below call a function n times, n ≥ 1, with the loop of CallNothing. The function reads the virtual
// counter, returns, and is called by nothing else. So the difference to CallNothing is the instruction alone.

// CallCNTVCT calls a function that reads CNTVCT_EL0.
func CallCNTVCT(n int)

// CallISBCNTVCT calls a function that executes ISB and reads CNTVCT_EL0.
func CallISBCNTVCT(n int)
