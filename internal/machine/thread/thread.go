// Package thread runs a function on its own operating system thread, pinned to a CPU or not, and
// lists the usable CPUs.
//
// A clock must be read on a known thread. Go moves goroutines between threads, the system moves
// threads between CPUs, and some clocks (CLOCK_THREAD_CPUTIME_ID, a counter on which the CPUs
// disagree) return another value on each.
//
// On Linux a thread can be pinned, its signals are blocked while it runs (package native explains
// why), and the topology of the machine is read from sysfs. On Windows a thread can be pinned to
// a CPU of any processor group; CPUs are numbered group by group. On FreeBSD a thread can be pinned.
// On other systems it cannot.
package thread

import (
	"fmt"
	"runtime"
	"sync"
)

// Any is the CPU number of a thread that is not pinned.
const Any = -1

// CacheLine is at least the size in bytes of a cache line, or of two on CPUs that fetch lines in
// pairs.
const CacheLine = 128

// Run calls fn on a new operating system thread, pinned to the CPU (or Any), and returns when fn
// has returned. Then the thread ends. If the thread cannot be pinned, Run does not call fn.
func Run(cpu int, fn func()) error {
	if err := run(cpu, fn); err != nil {
		return fmt.Errorf("pin a thread to CPU %d: %w", cpu, err)
	}
	return nil
}

// Pinnable returns why a thread cannot be pinned to any of the CPUs; nil if it can.
func Pinnable(cpus []int) (err error) {
	for _, cpu := range cpus {
		if err = Run(cpu, func() {}); err == nil {
			break
		}
	}
	return err
}

func run(cpu int, fn func()) error {
	done := make(chan error)
	go func() {
		// Never unlocked: the thread ends with this goroutine, and with it the affinity and the
		// signal mask.
		runtime.LockOSThread()
		if isMain() {
			// The main thread would not end: the Go runtime parks it forever. While it waits here,
			// the next goroutine is on another thread.
			err := run(cpu, fn)
			runtime.UnlockOSThread()
			done <- err
			return
		}
		err := prepare(cpu)
		// Deferred: a test that fails in fn ends this goroutine.
		defer func() { done <- err }()
		if err == nil {
			fn()
		}
	}()
	return <-done
}

// Reserve makes the Go runtime start this number of threads now. The runtime keeps and reuses them, so it
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
