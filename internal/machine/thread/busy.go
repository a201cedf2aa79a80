package thread

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Busy keeps this number of CPUs busy, with threads that are not pinned, until stop is called or the time longest has
// passed. stop returns when the threads have ended. Busy raises GOMAXPROCS meanwhile, so that the scheduler of the
// system, not of Go, shares the CPUs, as with another program.
//
// The threads run under the ordinary scheduling policy, even if the process has a real-time one.
// Under SCHED_FIFO, one such thread on each CPU would leave no CPU for anything else, not even
// for the timer that ends them or for a signal handler. So a real-time process gets less load
// than it requests.
func Busy(cpus int, longest time.Duration) (stop func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + cpus)
	var over atomic.Bool
	end := time.Now().Add(longest)
	done := make(chan struct{})
	for range cpus {
		go func() {
			// If no thread can be created, no CPU is kept busy.
			_ = Run(Any, func() {
				if ordinary() == nil {
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

// spin keeps the CPU of this thread busy until over is set or end has passed.
func spin(over *atomic.Bool, end time.Time) {
	const spins = 1 << 12 // between two checks of the time
	for i := 1; !over.Load(); i++ {
		if i%spins == 0 {
			if time.Now().After(end) {
				return
			}
			Pause()
		}
	}
}

// Pause is a point where the Go scheduler can stop this goroutine, for a loop that waits for
// another CPU and must not give up its own, as Yield does. While signals are blocked, only the
// check in a function prologue stops a goroutine, and a function without calls has no such
// check.
//
//go:noinline
func Pause() { nothing() }

//go:noinline
func nothing() {}
