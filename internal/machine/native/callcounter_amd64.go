//go:build linux || windows || darwin

package native

// The functions below call a function n times, n ≥ 1, with the loop of CallNothing. The function reads the time stamp
// counter, returns, and is called by nothing else. So the difference to CallNothing is the instruction alone.

// CallRDTSC calls a function that executes RDTSC.
func CallRDTSC(n int)

// CallLFENCERDTSC calls a function that executes LFENCE and RDTSC.
func CallLFENCERDTSC(n int)

// CallRDTSCP calls a function that executes RDTSCP.
func CallRDTSCP(n int)
