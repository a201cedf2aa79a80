package thread

import (
	"runtime"
	"sync"
)

// Reserve makes the Go runtime start so many threads now. The runtime keeps and reuses them, so it
// needs no new one later, when the system may refuse it: then the runtime would end the program
// with a stack dump.
func Reserve(threads int) {
	var there, ended sync.WaitGroup
	there.Add(threads)
	for range threads {
		ended.Go(func() {
			// A locked goroutine has its own thread, and returns it to the runtime.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			there.Done()
			there.Wait()
		})
	}
	ended.Wait()
}
