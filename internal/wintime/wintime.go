// Package wintime asks Windows about its own time-keeping: the page that the kernel
// shares with every process, the period of the system timer, which is the tick of
// the coarse clocks, and what the performance counter is made of.
//
// On other systems it is empty, but for [RaiseTimer], which says so.
package wintime

import "time"

// A Timer is the period of the system timer: how often the kernel's clock interrupt
// comes, and with it how finely the coarse clocks tick and sleeping threads wake.
type Timer struct {
	Period           time.Duration // now
	Finest, Coarsest time.Duration // that a program can ask for
}
