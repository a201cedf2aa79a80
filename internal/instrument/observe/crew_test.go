package observe

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
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
	require.ElementsMatch(t, []int{0, 1, 10, 11}, Await(done, 4, need.Long, nil))
	require.Zero(t, away.Load())
	c.Dismiss(1)
	require.Len(t, c.tasks, 1)
	c.Start(0, thread.Any, func(error) { done <- 20 })
	c.Dismiss(0)
	c.Wait()
	require.Equal(t, 20, <-done, "who is dismissed ends the task before")
}

func TestAwaitReturnsWhatCame(t *testing.T) {
	from := make(chan int, 3)
	from <- 1
	from <- 2
	need.Ends(t, "a patience of 20 ms", func() {
		require.Equal(t, []int{1, 2},
			Await(from, 3, 20*time.Millisecond, nil))
	})
	from <- 3
	from <- 4
	need.Ends(t, "waiting for what came", func() { require.Equal(t, []int{3}, Await(from, 1, time.Hour, nil)) })
	need.Ends(t, "waiting for nothing", func() { require.Empty(t, Await(from, 0, time.Hour, nil)) })
	require.Len(t, from, 1)
	<-from
	done := make(chan struct{})
	close(done)
	need.Ends(t, "waiting for what is done", func() { require.Empty(t, Await(from, 1, time.Hour, done)) })
}
