//go:build !linux && !windows

package thread

import (
	"runtime"
	"time"
)

// Yield gives this CPU to another goroutine.
func Yield() { runtime.Gosched() }

// Sleep stops this goroutine for the span.
func Sleep(span time.Duration) { time.Sleep(span) }

// Move does nothing: on this system, this build does not place threads.
func Move(int) error { return nil }

// Topology returns the CPUs that this process may use, each as a core of the same package: this build does not query
// the topology.
func Topology() []CPU { return flat(Usable()) }
