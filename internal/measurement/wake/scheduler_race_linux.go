//go:build race

package wake

// leave does nothing: the race detector, and the counters of -cover with it, need the P of the thread.
//
//go:nosplit
func leave() {}

//go:nosplit
func enter() {}
