package thread

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Goroutines use the reserved threads instead of starting new ones.
func TestReservedThreadsAreUsedAgain(t *testing.T) {
	const threads = 12
	count := func() int {
		all, err := os.ReadDir("/proc/self/task")
		require.NoError(t, err)
		return len(all)
	}
	Reserve(threads)
	before := count()
	require.GreaterOrEqual(t, before, threads)
	var started, blocked sync.WaitGroup
	var pipes []int
	for range threads / 2 {
		ends := make([]int, 2)
		require.NoError(t, unix.Pipe(ends))
		pipes = append(pipes, ends[1])
		started.Add(1)
		blocked.Go(func() {
			started.Done()
			// A thread waits in read(2) until the other end is closed.
			_, _ = unix.Read(ends[0], make([]byte, 1))
			_ = unix.Close(ends[0])
		})
	}
	started.Wait()
	after := count()
	for _, end := range pipes {
		require.NoError(t, unix.Close(end))
	}
	blocked.Wait()
	// The runtime may start a thread for its own use meanwhile, but not one for each read.
	require.Less(t, after, before+threads/2)
}
