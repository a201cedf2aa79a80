//go:build !linux

package measure

import (
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// sleepWhile returns when the word no longer has the value, or after the span. No other system has
// a call for this that also works between processes. The thread gives up its CPU at each check, and
// after a millisecond it sleeps between two checks: many waiting threads would use up the CPUs.
func sleepWhile(word *atomic.Uint32, value uint32, span time.Duration) {
	for begun := observe.Now(); word.Load() == value; {
		switch waited := time.Duration(observe.Now() - begun); {
		case waited >= span:
			return
		case waited < time.Millisecond:
			thread.Yield()
		default:
			thread.Sleep(time.Millisecond)
		}
	}
}

// wakeAll does nothing: each thread looks for itself.
func wakeAll(*atomic.Uint32) {}
