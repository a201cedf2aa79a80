package thread

import (
	"runtime"
	"sync/atomic"
)

// Busy keeps so many CPUs busy, with threads that the system may move, until stop is
// called; stop returns when they have ended. It raises GOMAXPROCS meanwhile, so that
// they take CPUs from other threads as another program would, by the system's scheduler
// and not by Go's.
func Busy(cpus int) (stop func()) {
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + cpus)
	var over atomic.Bool
	done := make(chan struct{})
	for range cpus {
		go func() {
			for !over.Load() {
			}
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
