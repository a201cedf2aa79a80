//go:build !linux

package terminal

import "time"

const load = ""

// busy returns "": this build does not count the threads that want a CPU.
func busy(string, time.Duration) string { return "" }
