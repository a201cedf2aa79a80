//go:build !linux && !windows

package thread

import (
	"errors"
	"runtime"
	"time"
)

func prepare(cpu int) error {
	if cpu == Any {
		return nil
	}
	return errors.New("this build cannot pin threads on " + runtime.GOOS)
}

// isMain is not asked: nothing that a thread was given outlives its work here.
func isMain() bool { return false }

// Yield lets another goroutine have this CPU.
func Yield() { runtime.Gosched() }

// Sleep stops this goroutine for the span.
func Sleep(span time.Duration) { time.Sleep(span) }

// Move does nothing: this build leaves it to the system where threads run.
func Move(int) error { return nil }

// Current returns Any: this build does not ask the system where a thread runs.
func Current() int { return Any }

// Usable returns the numbers of the CPUs that this process may run on, in order.
func Usable() []int { return firstCPUs(runtime.NumCPU()) }
