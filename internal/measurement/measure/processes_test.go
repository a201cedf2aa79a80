//go:build linux || windows

package measure

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

// The worker processes of these tests are this test binary.
func TestMain(m *testing.M) {
	program.Main(program.Roles{WorkerRole: Worker, observe.ThreadsRole: observe.HoldThreads})
	os.Exit(m.Run())
}

// A clock that is unknown to the workers has no throughput, and the document has the reason.
func TestWorkerRefusesAnOrderThatItCannotObey(t *testing.T) {
	need.Processes(t)
	s := quick(1)
	s.Processes = true
	measured := ran(t, s, scripted("made up", count))
	require.True(t, measured.Clocks[0].Available)
	require.NotNil(t, measured.Clocks[0].Latency)
	require.Empty(t, measured.Clocks[0].Throughput)
	require.Len(t, measured.Conditions.Passes, 1)
	require.Contains(t, measured.Conditions.Passes[0].Reasons[0],
		"made up: a worker process cannot obey {Clock:made up")
}

// The error of a limit comes with advice. Other errors come without, such as the error without /proc.
func TestAdviceOnAWorkerThatDoesNotStart(t *testing.T) {
	for err, want := range map[error]string{
		syscall.EMFILE: "; take fewer (--threads), or raise the limit of open files (ulimit -n)",
		syscall.EAGAIN: "; take fewer (--threads), or raise the limit of processes (ulimit -u, pids.max of the control group)",
		syscall.ENOENT: "",
	} {
		require.Equal(t, want, adviceOn(&os.SyscallError{Syscall: "fork", Err: err}))
	}
}

// reading returns a worker process that reads a clock.
func reading(t *testing.T) (team, *worker, assignment) {
	t.Helper()
	need.Processes(t)
	team, err := newProcesses(1)
	require.NoError(t, err)
	workers := assign(team, clock.Default()[0], pace{Chunk: 100, Slice: 1, SpanNS: int64(time.Hour)},
		quick(1).affinities(1))
	team.gate().open(t.Context(), 1)
	return team, team.(*processes).workers[0], workers
}

func TestWorkerThatDiesIsAnErrorAndNotAHang(t *testing.T) {
	team, worker, workers := reading(t)
	defer team.close()
	worker.Kill()
	failed := workers.wait(patience(1))
	require.Contains(t, failed.Reason, "worker process 0 ended: ")
	require.Contains(t, failed.Reason, map[bool]string{true: "killed", false: "exit status"}[os.PathSeparator == '/'])
	require.Equal(t, theRun, failed.Cost)
	require.Equal(t, failed, pass(t.Context(), team, clock.Default()[0], patience(1), quick(1).affinities(1)...))
}

// The time of worker processes belongs to this run; it is not load by other programs.
func TestTimeOfWorkerProcessesIsOwn(t *testing.T) {
	before := host.See().OwnSeconds
	team, worker, workers := reading(t)
	time.Sleep(100 * time.Millisecond)
	team.gate().stop.Store(1)
	require.Nil(t, workers.wait(patience(1)))
	team.close()
	state := worker.Close()
	require.True(t, state.Success(), "it ends with its orders: %v", state)
	used := state.UserTime() + state.SystemTime()
	require.Positive(t, used)
	require.GreaterOrEqual(t, host.See().OwnSeconds-before, used.Seconds()*0.99)
}
