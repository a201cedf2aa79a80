// Package wintime reads the time-keeping state of Windows: the page that the kernel shares with
// every process, the period of the system timer, which is the tick of the coarse clocks, and the
// source of the performance counter.
//
// On other systems it has only [RaiseTimer], which returns an error.
package wintime

import "time"

// A Timer is the period of the system timer, the clock interrupt of the kernel. It is the tick
// of the coarse clocks and of sleeping threads.
type Timer struct {
	Period           time.Duration // now
	Finest, Coarsest time.Duration // that a program can request
}
