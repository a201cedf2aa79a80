package measure

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// switches returns how often a thread of this process has given up its CPU or lost it.
func switches(t *testing.T) int {
	t.Helper()
	var usage unix.Rusage
	require.NoError(t, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return int(usage.Nvcsw + usage.Nivcsw)
}

// Workers that wait for others do not keep the CPUs busy: n workers that yield to each other
// switch some n² times until the last has arrived.
func TestThreadsWaitAtTheGateWithoutACPU(t *testing.T) {
	const threads = 200
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads + 2))
	team := newThreads()
	defer team.close()
	at := func(int) affinity { return affinity{thread.Any, thread.Any} }
	for range 2 { // the threads exist in the second pass
		team.gate().reset(threads)
		begun := switches(t)
		require.NoError(t, team.start(scripted("any", count), pace{Chunk: 1, Slice: 1, Check: 1, SpanNS: int64(time.Hour)}, threads, at))
		for end := observe.Now() + int64(20*time.Second); team.gate().ready.Load() < threads && observe.Now() < end; {
			sleepWhile(&team.gate().ready, team.gate().ready.Load(), time.Second)
		}
		switched := switches(t) - begun
		team.gate().open(t.Context(), threads)
		team.gate().stop.Store(1)
		require.NoError(t, team.wait())
		t.Logf("%d switches of %d threads", switched, threads)
		require.Less(t, switched, 25*threads)
	}
}

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
