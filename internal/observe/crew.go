package observe

import (
	"sync"
	"time"

	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/internal/trace"
)

// A Crew is threads of this process that do one task after the other. Each is pinned to a CPU
// or free to move. The zero value has none.
//
// Its methods are for one goroutine. A task is handed over by a channel, so its thread sees
// all that was written before, and what the task captures is on the heap: the garbage
// collector moves none of it.
type Crew struct {
	hired []chan func(unpinned error)
	left  sync.WaitGroup
}

// Start gives thread i a task. Where there is no such thread, it hires one, which must be the
// next, and pins it to the CPU; thread.Any leaves it free. Where it could not be pinned, the
// task is called on another thread, and hears why.
func (c *Crew) Start(i, cpu int, task func(unpinned error)) {
	if i == len(c.hired) {
		c.hire(cpu)
	}
	c.hired[i] <- task
}

func (c *Crew) hire(cpu int) {
	tasks := make(chan func(error), 1)
	c.hired = append(c.hired, tasks)
	c.left.Go(func() {
		err := thread.Run(cpu, func() {
			for task := range tasks {
				task(nil)
			}
		})
		if err != nil {
			trace.Printf("thread", "%v", err)
		}
		for task := range tasks {
			task(err)
		}
	})
}

// Dismiss lets all but the first n threads go. Each ends its task before.
func (c *Crew) Dismiss(n int) {
	for ; len(c.hired) > n; c.hired = c.hired[:len(c.hired)-1] {
		close(c.hired[len(c.hired)-1])
	}
}

// Wait returns when all threads that were dismissed have ended.
func (c *Crew) Wait() { c.left.Wait() }

// Away reports whether this thread is on another CPU than the one that it was pinned to,
// which went offline or is no longer allowed to the process. A free one, of thread.Any, never
// is.
func Away(cpu int) bool {
	at := thread.Current()
	return cpu != thread.Any && at != thread.Any && at != cpu
}

// steps is how many parts a patience has.
const steps = 20

// Await returns the next n values of a channel. It returns fewer where they do not come for
// as long as the patience, or done is closed, which may be nil.
//
// The patience is counted in steps in which the waiting thread itself had a CPU. Where the
// whole process was stopped meanwhile (SIGSTOP, a paused machine), those that are waited for
// had none either, and one step is all that it takes.
func Await[T any](from <-chan T, n int, patience time.Duration, done <-chan struct{}) []T {
	ticker := time.NewTicker(patience / steps)
	defer ticker.Stop()
	return await(from, n, ticker.C, done)
}

// await is Await with a channel that hears of each step, which drops those that nobody hears.
func await[T any](from <-chan T, n int, step <-chan time.Time, done <-chan struct{}) (came []T) {
	for left := steps; len(came) < n && left > 0; {
		select {
		case value := <-from:
			came = append(came, value)
		case <-step:
			left--
		case <-done:
			return came
		}
	}
	return came
}
