package cmd

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/signals"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

var moments = flag.Int("moments", 3, "how many moments TestSignalLeavesAWholeSet tries with each command")

// A signal at any moment leaves the whole old set or the whole new one, and no other file.
func TestSignalLeavesAWholeSet(t *testing.T) {
	t.Parallel()
	old, fresh := saved(t, 0), saved(t, 3)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, c := range []struct {
		document string
		args     []string
	}{
		{"results.json", []string{"render", fresh}},
		{"diff.json", []string{"diff", fresh, old}},
		{"results.json", []string{"compare", "time.Now@go", "--threads", "1", "--throughput-time", "2ms", "--rounds", "6"}},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			temporary, folder := t.TempDir(), t.TempDir()
			out := filepath.Join(folder, "above", "report")
			args := slices.Concat(c.args, []string{"--quiet", "--out", out})
			began := time.Now()
			status, _, stderr := ran(t, "timebench", args...)
			require.Zero(t, status, stderr)
			longest := time.Since(began)
			whole := need.FilesIn(t, folder)
			for i := range *moments {
				if i%2 == 0 {
					require.NoError(t, os.RemoveAll(filepath.Dir(out)))
				}
				before := need.FilesIn(t, folder)
				command := exec.Command("timebench", args...)
				command.Env = append(os.Environ(), "TMPDIR="+temporary)
				running := requireStart(t, command)
				for range 1 + i%3 {
					time.Sleep(time.Duration(random.Int64N(int64(longest))))
					_ = running.Process.Signal(syscall.SIGINT) // it may have ended
				}
				status := running.status()
				require.NotContains(t, running.ProcessState.String(), "killed", "it did not end")
				require.Contains(t, []int{0, 130, -1}, status, &running.stderr) // -1 before it handles signals
				require.Empty(t, running.stderr.String())
				require.Empty(t, need.FilesIn(t, temporary))
				after := need.FilesIn(t, folder)
				if name := "above/report/" + c.document; after[name] == before[name] {
					require.Equal(t, before, after, "status %d", status)
					if len(before) == 0 {
						require.NoDirExists(t, filepath.Dir(out))
					}
					continue
				}
				if slices.Contains([]string{"render", "diff"}, c.args[0]) {
					require.Equal(t, whole, after)
					continue
				}
				document, err := sections.Load(out)
				require.NoError(t, err)
				again := filepath.Join(t.TempDir(), "report")
				rendered, _, stderr := ran(t, "timebench", "render", out, "--out", again)
				require.Zero(t, rendered, stderr)
				require.Equal(t, need.FilesIn(t, again), need.FilesIn(t, out))
				if status == 0 || i%3 == 0 { // one signal
					require.Equal(t, status != 0, document.Interrupted)
				}
			}
		})
	}
}

// busyWorkers waits until the two worker processes of a program measure, and returns them. Their CPU time shows that:
// starting takes less than half of it.
func busyWorkers(t *testing.T, of *started) (children []*process.Process) {
	t.Helper()
	const workers, seconds = 2, 0.5
	parent, err := process.NewProcess(int32(of.Process.Pid))
	require.NoError(t, err)
	require.NoError(t, of.until("two worker processes that measure", func() bool {
		children, _ = parent.Children() // an error says that there are none yet
		used := 0.0
		for _, child := range children {
			if times, err := child.Times(); err == nil {
				used += times.User + times.System
			}
		}
		return len(children) == workers && used > seconds
	}))
	return children
}

// requireStart is [start].
func requireStart(t testing.TB, command *exec.Cmd) *started {
	t.Helper()
	running, err := start(command)
	require.NoError(t, err)
	return running
}

// startInto starts a command that writes into a pipe too small for its output, so that it cannot end before the pipe is
// read.
func startInto(t *testing.T, command *exec.Cmd) (running *started, output *os.File) {
	t.Helper()
	output, write, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = output.Close() })
	_, err = unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, os.Getpagesize())
	require.NoError(t, err)
	command.Stdout = write
	running = requireStart(t, command)
	require.NoError(t, write.Close())
	return running, output
}

// A signal that comes after measuring does not end the run.
func TestSignalAfterMeasuring(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	for _, args := range [][]string{
		{"compare", "time.Now@go", "CLOCK_MONOTONIC@syscall", "--threads", "1", "--throughput-time", "1ms", "--rounds", "1"},
		{"drift", "CLOCK_MONOTONIC_RAW", "--duration", "200ms"},
	} {
		folder := out + args[0]
		for i := range 20 { // the document is larger than the pipe
			args = append(args, "--label", fmt.Sprintf("n%d=%s", i, strings.Repeat("x", 200)))
		}
		running, read := startInto(t, exec.Command("timebench", append(args, "--out", folder, "--format", "json")...))
		require.NoError(t, running.until("the results", func() bool {
			_, err := os.Stat(filepath.Join(folder, "results.json"))
			return err == nil
		}))
		require.NoError(t, running.Process.Signal(syscall.SIGTERM))
		time.Sleep(100 * time.Millisecond)
		printed, err := io.ReadAll(read)
		require.NoError(t, err)
		require.Zero(t, running.status(), &running.stderr)
		document, err := sections.Read(bytes.NewReader(printed))
		require.NoError(t, err)
		require.False(t, document.Interrupted)
	}
}

// A terminal sends SIGQUIT to all processes of the group. It ends a run as SIGTERM does, and none of them prints the
// stacks of its goroutines.
func TestQuit(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "report")
	var printed bytes.Buffer
	command := exec.Command("timebench", "compare", "time.Now@go", "--threads", "2", "--throughput-time", "1h",
		"--workers", "processes", "--quiet", "--out", out)
	command.Stdout = &printed
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	running := requireStart(t, command)
	busyWorkers(t, running)
	require.NoError(t, syscall.Kill(-running.Process.Pid, syscall.SIGQUIT))
	require.Equal(t, 131, running.status(), &running.stderr)
	require.Empty(t, running.stderr.String())
	require.Contains(t, printed.String(), "nterrupted")
	document, err := sections.Load(out)
	require.NoError(t, err)
	require.True(t, document.Interrupted)
}

// timeout(1) sends its signal to the process and to its group, microseconds apart: that is one signal.
func TestDoubledSignal(t *testing.T) {
	debug, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	command := exec.Command("timebench", "compare", "time.Now@go", "--threads", "1", "--throughput-time", "1h",
		"--format", "json")
	command.Env, command.Stderr = append(os.Environ(), debuglog.Variable+"=1"), debug
	running, read := startInto(t, command)
	require.NoError(t, running.until("the measurement", func() bool {
		text, err := os.ReadFile(debug.Name())
		return err == nil && bytes.Contains(text, []byte("the measurement begins"))
	}))
	require.NoError(t, debug.Close())
	time.Sleep(100 * time.Millisecond)
	require.NoError(t, running.Process.Signal(syscall.SIGTERM))
	time.Sleep(signals.Doubled / 20)
	require.NoError(t, running.Process.Signal(syscall.SIGTERM))
	document, err := sections.Read(read)
	require.NoError(t, err)
	require.True(t, document.Interrupted)
	require.Equal(t, 143, running.status())
}

// A second signal later ends a run at once, without output, although its workers do not answer. No new folder is left
// of --out, and no other is removed.
func TestSignalTwiceLeavesNoNewFolder(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	folder := t.TempDir()
	above := filepath.Join(folder, "above")
	command := exec.Command("timebench", "compare", "time.Now@go", "--threads", "2", "--throughput-time", "1h",
		"--workers", "processes", "--quiet", "--out", filepath.Join(above, "report"))
	command.Stdout = &printed
	running := requireStart(t, command)
	for _, worker := range busyWorkers(t, running) {
		require.NoError(t, worker.Suspend())
		defer func() { _ = worker.Kill() }()
	}
	require.NoError(t, running.Process.Signal(syscall.SIGINT))
	time.Sleep(3 * signals.Doubled)
	require.False(t, running.hasEnded(), "the first signal ended it")
	for !running.hasEnded() { // a busy machine may deliver the first only now
		_ = running.Process.Signal(syscall.SIGINT) // it may have ended
		time.Sleep(3 * signals.Doubled)
	}
	require.Equal(t, 130, running.status(), &running.stderr)
	require.Empty(t, printed.String())
	require.NoDirExists(t, above)
	require.DirExists(t, folder)
}

// SIGQUIT also ends a command that only prints.
func TestQuitWhileItPrints(t *testing.T) {
	t.Parallel()
	running, read := startInto(t, exec.Command("timebench", "completion", "bash"))
	_, err := io.ReadFull(read, make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, running.Process.Signal(syscall.SIGQUIT))
	require.Equal(t, 131, running.status())
	require.Empty(t, running.stderr.String())
}
