//go:build linux || windows

package measure

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

// The worker processes of these tests are this test binary.
func TestMain(m *testing.M) {
	program.Main(program.Roles{WorkerRole: Worker, ThreadsRole: HoldThreads})
	os.Exit(m.Run())
}

func TestProcessesMeasureAsThreadsDo(t *testing.T) {
	need.Processes(t)
	s := quick(1, 2, 4)
	s.Processes, s.Time = true, 20*time.Millisecond // in less, no process may get a CPU of a busy machine
	measured, err := Run(context.Background(), clock.Default(), s, nil)
	require.NoError(t, err)
	for _, c := range measured.Clocks {
		if !c.Available {
			require.NotEmpty(t, c.Reason)
			continue
		}
		require.Len(t, c.Throughput, 3, c.ID)
		require.Positive(t, c.Throughput[2].ReadsPerSecond, c.ID)
	}
}

// A clock that is unknown to the workers has no throughput, and the document has the reason.
func TestWorkerRefusesAnOrderThatItCannotObey(t *testing.T) {
	need.Processes(t)
	s := quick(1)
	s.Processes = true
	measured, err := Run(context.Background(), []clock.Clock{scripted("made up", count)}, s, nil)
	require.NoError(t, err)
	require.True(t, measured.Clocks[0].Available)
	require.NotNil(t, measured.Clocks[0].Latency)
	require.Empty(t, measured.Clocks[0].Throughput)
	require.Len(t, measured.Conditions.Passes, 1)
	require.Contains(t, measured.Conditions.Passes[0].Reasons[0],
		"made up: a worker process cannot obey {Clock:made up")
}

func TestWorkerThatDiesIsAnErrorAndNotAHang(t *testing.T) {
	need.Processes(t)
	c, err := newProcesses(1)
	require.NoError(t, err)
	defer c.close()
	require.NoError(t, c.start(clock.Default()[0], pace{Chunk: 100, Slice: 1, Check: 1, SpanNS: int64(time.Hour)}, 1,
		quick(1).affinities()))
	c.gate().open(context.Background(), 1)
	time.Sleep(10 * time.Millisecond)
	c.(*processes).workers[0].Kill()
	require.ErrorContains(t, c.wait(), "worker process 0 ended: ")
	require.ErrorContains(t, c.broken(), map[bool]string{true: "killed", false: "exit status"}[os.PathSeparator == '/'])
	require.ErrorContains(t, c.start(clock.Default()[0], pace{Chunk: 100, Slice: 1, Check: 1, SpanNS: int64(time.Hour)},
		1, quick(1).affinities()), "worker process 0 ended")
}

// The time of worker processes belongs to this run; it is not load by other programs.
func TestTimeOfWorkerProcessesIsOwn(t *testing.T) {
	need.Processes(t)
	before := host.See().OwnSeconds
	c, err := newProcesses(1)
	require.NoError(t, err)
	require.NoError(t, c.start(clock.Default()[0], pace{Chunk: 100, Slice: 1, Check: 1, SpanNS: int64(time.Hour)}, 1,
		quick(1).affinities()))
	c.gate().open(context.Background(), 1)
	time.Sleep(100 * time.Millisecond)
	c.gate().stop.Store(1)
	require.NoError(t, c.wait())
	worker := c.(*processes).workers[0]
	c.close()
	state := worker.Close()
	require.True(t, state.Success(), "it ends with its orders: %v", state)
	used := state.UserTime() + state.SystemTime()
	require.Positive(t, used)
	require.GreaterOrEqual(t, host.See().OwnSeconds-before, used.Seconds()*0.99)
}

// A worker process that has no assignment in a pass may end meanwhile, for example killed for its memory.
func TestAWorkerWithoutAnAssignmentEnds(t *testing.T) {
	answers := make(chan answer, 2)
	answers <- answer{1, &endedProcess{1, "signal: killed"}}
	err := collect(answers, 1, time.Minute, func(worker int) error {
		require.Zero(t, worker)
		return errors.New("late")
	})
	ended, ok := errors.AsType[*endedProcess](err)
	require.True(t, ok)
	require.ErrorContains(t, ended, "signal: killed")
	require.ErrorContains(t, err, "late")
}
