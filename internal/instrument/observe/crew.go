package observe

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// ThreadsRole is the role of a process that calls [HoldThreads].
const ThreadsRole = "threads"

// A Crew is threads of this process that run tasks. Each is pinned to a CPU or free to move.
// The zero value has no threads.
//
// Its methods are for one goroutine. A task is passed by a channel, so its thread sees all that was written before, and
// what the task captures is on the heap, where the garbage collector does not move it.
type Crew struct {
	tasks   []chan func(unpinned error)
	running sync.WaitGroup
}

// Start runs a task on thread i. If there is no such thread, i must be the next one: Start
// creates it and pins it to the CPU, or leaves it free if that is thread.Any. If it cannot be
// pinned, the task is called on another thread with the error.
func (c *Crew) Start(i, cpu int, task func(unpinned error)) {
	if i == len(c.tasks) {
		c.hire(cpu)
	}
	c.tasks[i] <- task
}

func (c *Crew) hire(cpu int) {
	tasks := make(chan func(error), 1)
	c.tasks = append(c.tasks, tasks)
	c.running.Go(func() {
		err := thread.Run(cpu, func() {
			for task := range tasks {
				task(nil)
			}
		})
		if err != nil {
			debuglog.Printf("thread", "%v", err)
		}
		for task := range tasks {
			task(err)
		}
	})
}

// Dismiss ends all but the first n threads. Each ends its task first.
func (c *Crew) Dismiss(n int) {
	for ; len(c.tasks) > n; c.tasks = c.tasks[:len(c.tasks)-1] {
		close(c.tasks[len(c.tasks)-1])
	}
}

// Wait waits until all dismissed threads have ended.
func (c *Crew) Wait() { c.running.Wait() }

// Away returns whether this thread is no longer on the CPU that it was pinned to: the CPU went offline, or the process
// may not use it any longer. Away is false for thread.Any.
func Away(cpu int) bool {
	at := thread.Current()
	return cpu != thread.Any && at != thread.Any && at != cpu
}

// Sleep waits for the span, and returns false if ctx ended first. It uses Go's timers: a sleep in the kernel would
// delay a garbage collection for as long.
func Sleep(ctx context.Context, span time.Duration) bool {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Interrupted returns whether a signal ended the run. Otherwise its time was up.
func Interrupted(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// WhyEnded returns why a run ended at this point: " before the clock was read".
func WhyEnded(ctx context.Context, point string) string {
	if Interrupted(ctx) {
		return "interrupted" + point
	}
	return "the time limit ended the run" + point + "; use a longer --duration"
}

// steps is the number of steps into which a patience is divided.
const steps = 20

// Await returns the next n values of a channel, or fewer if patience runs out or done is closed, which may be nil.
//
// The patience is counted in steps in which the waiting thread itself had a CPU. If the whole process is stopped
// (SIGSTOP, a paused machine), the awaited threads have no CPU either, and the pause counts as one step.
func Await[T any](from <-chan T, n int, patience time.Duration, done <-chan struct{}) []T {
	ticker := time.NewTicker(patience / steps)
	defer ticker.Stop()
	return await(from, n, ticker.C, done)
}

// await is Await with a channel of steps, which drops those that are not received.
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
	// The last step may be ready together with a value.
	for len(came) < n {
		select {
		case value := <-from:
			came = append(came, value)
		default:
			return came
		}
	}
	return came
}
