package observe

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
)

// Each thread does its tasks one after the other, on its CPU, until it is dismissed.
func TestCrew(t *testing.T) {
	cpus := thread.Usable()
	cpu := cpus[len(cpus)-1]
	if thread.Pinnable([]int{cpu}) != nil {
		cpu = thread.Any
	}
	var c Crew
	done := make(chan int, 10)
	var away atomic.Int32
	for round := range 2 {
		for i, at := range []int{thread.Any, cpu} {
			c.Start(i, at, func(unpinned error) {
				if unpinned != nil || Away(at) {
					away.Add(1)
				}
				done <- 10*round + i
			})
		}
	}
	require.ElementsMatch(t, []int{0, 1, 10, 11}, Await(done, 4, time.Minute, nil))
	require.Zero(t, away.Load())
	c.Dismiss(1)
	require.Len(t, c.tasks, 1)
	c.Start(0, thread.Any, func(error) { done <- 20 })
	c.Dismiss(0)
	c.Wait()
	require.Equal(t, 20, <-done, "who is dismissed ends the task before")
}
