package thread

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Busy keeps so many CPUs busy, with threads that the system may move, until stop is called
// or the longest time has passed; stop returns when they have ended. It raises GOMAXPROCS
// meanwhile, so that they take CPUs from other threads as another program would, by the
// system's scheduler and not by Go's.
//
// The threads run under the ordinary scheduling policy even where the process has a
// real-time one. Under SCHED_FIFO one on each CPU would leave none to anything else: not
// to the timer that ends them, nor to the handler of a signal. So a real-time process gets
// less load than it asks for.
func Busy(cpus int, longest time.Duration) (stop func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + cpus)
	var over atomic.Bool
	end := time.Now().Add(longest)
	done := make(chan struct{})
	for i := range cpus {
		go func() {
			// A thread that cannot be had keeps no CPU busy.
			_ = Run(Any, func() {
				if ordinary() == nil {
					disperse(i)
					spin(&over, end)
				}
			})
			done <- struct{}{}
		}()
	}
	return func() {
		over.Store(true)
		for range cpus {
			<-done
		}
		runtime.GOMAXPROCS(before)
	}
}

// spin keeps this thread's CPU busy until it is over, or the end has come.
func spin(over *atomic.Bool, end time.Time) {
	const spins = 1 << 12 // between two looks at the time
	for i := 1; !over.Load(); i++ {
		if i%spins == 0 {
			if time.Now().After(end) {
				return
			}
			Pause()
		}
	}
}
