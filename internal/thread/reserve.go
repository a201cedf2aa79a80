package thread

import (
	"runtime"
	"sync"
)

// Reserve has Go's runtime start so many threads now. It keeps them and uses them again, so
// that it need not ask for one later, when the system may refuse: then the runtime ends the
// program with a dump of its stacks.
func Reserve(threads int) {
	var there, ended sync.WaitGroup
	there.Add(threads)
	for range threads {
		ended.Go(func() {
			// A locked goroutine has its thread for itself, and leaves it to the runtime.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			there.Done()
			there.Wait()
		})
	}
	ended.Wait()
}
