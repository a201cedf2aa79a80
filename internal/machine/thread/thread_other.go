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

// isMain returns false: on this system nothing that prepare sets outlives the work.
func isMain() bool { return false }

// Yield gives this CPU to another goroutine.
func Yield() { runtime.Gosched() }

// Sleep stops this goroutine for the span.
func Sleep(span time.Duration) { time.Sleep(span) }

// Move does nothing: on this system, this build does not place threads.
func Move(int) error { return nil }

// Current returns Any: this build does not query the CPU of a thread.
func Current() int { return Any }

// Usable returns the numbers of the CPUs that this process may use, in order.
func Usable() []int { return firstCPUs(runtime.NumCPU()) }

// Topology returns the CPUs that this process may use, each as a core of the same package: this build does not query
// the topology.
func Topology() []CPU { return flat(Usable()) }
