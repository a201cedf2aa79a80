// Package thread runs a function on an operating system thread of its own,
// tied to one CPU or free to move, and knows which CPUs there are to choose
// from.
//
// A clock must be read on a known thread: Go moves goroutines between threads
// and threads between CPUs as it likes, and some clocks (CLOCK_THREAD_CPUTIME_ID,
// a counter on a machine where the CPUs disagree) answer differently on each.
//
// On Linux a thread can be pinned, its signals are blocked while it runs (see
// package native for why), and the machine's topology is read from sysfs. On
// Windows a thread can be pinned to a CPU of any processor group; CPUs are numbered
// group by group, those of group 1 after all of group 0. On other systems a thread
// can be had, but not pinned.
package thread

import (
	"fmt"
	"runtime"
)

// Any is the CPU number that leaves a thread free to run on every CPU that the
// process may use.
const Any = -1

// CacheLine is at least the size in bytes of a cache line on the CPUs that
// timebench runs on, twice where the CPU fetches lines in pairs.
const CacheLine = 128

// Run calls fn on a new operating system thread pinned to the given CPU (or
// Any), returns when fn has returned, and lets the thread end. fn is not
// called when the thread cannot be pinned.
func Run(cpu int, fn func()) error {
	if err := run(cpu, fn); err != nil {
		return fmt.Errorf("pin a thread to CPU %d: %w", cpu, err)
	}
	return nil
}

// Pinnable returns why no thread can be pinned to any of the CPUs; nil where one can.
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
		// Never unlocked: the thread ends with this goroutine, and with it the
		// pinning and the blocked signals.
		runtime.LockOSThread()
		if isMain() {
			// This one would not end: the Go runtime parks it for ever. While it waits
			// here the next goroutine is on another.
			err := run(cpu, fn)
			runtime.UnlockOSThread()
			done <- err
			return
		}
		err := prepare(cpu)
		if err == nil {
			fn()
		}
		done <- err
	}()
	return <-done
}
