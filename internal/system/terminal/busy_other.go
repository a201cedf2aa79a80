//go:build !linux

package terminal

const load = ""

// busy returns "": this build does not count the threads that want a CPU.
func busy(string) string { return "" }
