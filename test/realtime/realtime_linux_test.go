// Package realtime runs timebench under SCHED_FIFO, a policy of many who measure time: a
// thread that spins owns its CPU there, and where one spins on each nothing else runs, not
// even what handles a signal.
package realtime

import (
	"bytes"
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/test/need"
)

// hung is when a command is given up. It is no measure of speed: without deadlines the
// commands never end.
const hung = 2 * time.Minute

// fifo returns the command under SCHED_FIFO. Beyond the time it is killed, by a program
// that the command cannot keep from its CPU.
func fifo(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	chrt := need.Program(t, "chrt")
	if out, err := exec.Command(chrt, "-f", "2", "true").CombinedOutput(); err != nil {
		need.Missing(t, "realtime", strings.TrimSpace(string(out)))
	}
	ctx, cancel := context.WithTimeout(context.Background(), hung)
	t.Cleanup(cancel)
	guarded := []string{"-f", "2", need.Program(t, "timeout"), "-s", "KILL", strconv.Itoa(int(hung.Seconds())), chrt, "-f", "1"}
	return exec.CommandContext(ctx, chrt, append(guarded, args...)...)
}

func TestCommandsEndUnderARealTimePolicy(t *testing.T) {
	timebench := need.Timebench(t)
	cpus := len(thread.Usable())
	for _, args := range [][]string{
		{"compare", "CLOCK_MONOTONIC", "time.Now@go", "--threads", strings.Join([]string{"1", strconv.Itoa(cpus), strconv.Itoa(2*cpus + 1)}, ","), "--time", "20ms", "--rounds", "6"},
		{"compare", "CLOCK_MONOTONIC", "--threads", strconv.Itoa(cpus), "--time", "20ms", "--rounds", "6", "--pin", "spread"},
		{"compare", "CLOCK_MONOTONIC", "--threads", strconv.Itoa(cpus), "--time", "20ms", "--rounds", "6", "--workers", "processes"},
		{"drift", "--time", "1s"},
		{"doctor", "--fail-on", "never"},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			command := fifo(t, append(append([]string{timebench}, args...), "--format", "json")...)
			command.Stdout, command.Stderr = &stdout, &stderr
			require.NoError(t, command.Run(), stderr.String())
			d, err := result.Read(&stdout)
			require.NoError(t, err)
			for _, c := range d.Clocks {
				require.Equal(t, d.Drift == nil && c.Available, len(c.Throughput) > 0, c.ID)
			}
		})
	}
}

func TestSignalsAreHeardUnderARealTimePolicy(t *testing.T) {
	timebench := need.Timebench(t)
	cpus := strconv.Itoa(len(thread.Usable()))
	for _, args := range [][]string{
		{"compare", "--threads", cpus, "--time", "1h"},
		{"compare", "--threads", "1", "--rounds", "1000"},
		{"drift", "--time", "1h"},
	} {
		t.Run(args[0], func(t *testing.T) {
			var stdout bytes.Buffer
			// sh becomes the program that it starts, so its number is timebench's.
			command := fifo(t, append([]string{"sh", "-c", `echo $$ >&2; exec "$@"`, "sh", timebench}, append(args, "--format", "json")...)...)
			command.Stdout = &stdout
			number, err := command.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())
			text := make([]byte, 32)
			n, err := number.Read(text)
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
			require.NoError(t, err)
			time.Sleep(2 * time.Second)
			require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
			err = command.Wait()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 143, exit.ExitCode())
			d, err := result.Read(&stdout)
			require.NoError(t, err)
			require.True(t, d.Interrupted)
		})
	}
}
