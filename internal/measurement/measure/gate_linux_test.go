package measure

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A worker process that gets no CPU, here because it is stopped, ends the measurement of throughput
// and not the run.
func TestProcessThatIsStoppedIsAnErrorAndNotAHang(t *testing.T) {
	need.Processes(t)
	c, err := newProcesses(2)
	require.NoError(t, err)
	p := c.(*processes)
	p.patience = func(int) time.Duration { return 200 * time.Millisecond }
	p.workers[1].Signal(unix.SIGSTOP)
	p.gate().reset(2)
	require.NoError(t, p.start(clock.Default()[0], pace{Chunk: 100, Slice: 1, Check: 1}, 2, quick(1).affinities()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // open does not wait for it
	p.gate().open(ctx, 2)
	p.gate().stop.Store(1)
	require.EqualError(t, p.wait(), "worker process 1 got no time for 200 ms")
	require.ErrorContains(t, p.broken(), "worker process 1 got no time")
	c.close()
}
