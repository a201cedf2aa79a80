package busy

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/test/measured"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

const (
	// watchdog is when a child is killed: a hang is a failure, and must not occupy the machine for longer. The kernel
	// leaves ordinary threads, such as this test's, a twentieth of each CPU (sched_rt_runtime_us).
	watchdog = 20 * time.Second
	policy   = unix.SCHED_FIFO
)

// start starts the command under SCHED_FIFO, at the lowest priority.
func start(t *testing.T, command *exec.Cmd) {
	t.Helper()
	done := make(chan error)
	go func() {
		// A child has the policy of the thread that starts it. The thread ends with this
		// goroutine, which never unlocks it.
		runtime.LockOSThread()
		err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: policy, Priority: 1}, 0)
		if err == nil {
			err = command.Start()
		}
		done <- err
	}()
	if err := <-done; errors.Is(err, unix.EPERM) {
		need.Missing(t, "realtime", err.Error())
	} else {
		require.NoError(t, err)
	}
	attr, err := unix.SchedGetAttr(command.Process.Pid, 0)
	require.NoError(t, err)
	require.EqualValues(t, policy, attr.Policy)
}

// run runs timebench under SCHED_FIFO until it ends, or the signal ends it, which it gets after a while; 0 for no
// signal. It returns the printed document, and the exit status.
func run(t *testing.T, timebench string, signal syscall.Signal, args ...string) (*result.Document, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), watchdog)
	defer cancel()
	command := exec.CommandContext(ctx, timebench, append(args, "--format", "json")...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	start(t, command)
	if signal != 0 {
		time.AfterFunc(time.Second, func() { _ = command.Process.Signal(signal) })
	}
	_ = command.Wait()
	require.NoError(t, ctx.Err(), "%s did not end by itself", strings.Join(args, " "))
	document := measured.Read(t, stdout.Bytes())
	require.Equal(t, signal != 0, document.Interrupted)
	return document, command.ProcessState.ExitCode()
}

// Under a real-time policy, a thread that spins owns its CPU: no thread of the same or lower priority runs there until
// it yields. Every measuring command ends by itself, with everything measured, and a run of an hour gets the signal
// while its threads spin.
func TestUnderSCHEDFIFO(t *testing.T) {
	need.Minutes(t)
	if runtime.NumCPU() < 2 {
		need.Missing(t, "cpus", "one CPU only")
	}
	timebench := need.Timebench(t)
	t.Run("verify", func(t *testing.T) {
		document, status := run(t, timebench, 0, "verify", "--duration", "1s")
		missed := 0 // on a busy machine
		for _, c := range verify.Of(document).Clocks {
			require.Empty(t, c.Faults, c.ID)
			if c.Verdict == verify.Unverified {
				require.Regexp(t, "^(the time limit ended the run before it was read|only [0-9,]+ reads? in its share of the time); ", c.Reason,
					c.ID)
				missed++
			}
		}
		require.Equal(t, missed > 0, status != 0)
		require.True(t, verify.Of(document).Held(), "%+v", verify.Of(document))
	})
	t.Run("skew", func(t *testing.T) {
		document, status := run(t, timebench, 0, "skew", "--duration", "1s")
		require.Zero(t, status)
		for _, c := range skew.Of(document).Clocks {
			require.NotEmpty(t, c.Pairs, "%s: %s", c.ID, c.Reason)
		}
	})
	cpus := len(thread.Usable())
	each, more := strconv.Itoa(cpus), strconv.Itoa(2*cpus+1)
	for _, how := range [][]string{{"--threads", "1," + each + "," + more}, {"--threads", each, "--pin", "spread"},
		{"--threads", each, "--workers", "processes"}} {
		t.Run("compare "+strings.Join(how, " "), func(t *testing.T) {
			document, status := run(t, timebench, 0,
				append([]string{"compare", "CLOCK_MONOTONIC", "--throughput-time", "20ms", "--rounds", "6"}, how...)...)
			require.Zero(t, status)
			for _, c := range compare.Of(document).Clocks {
				require.Len(t, c.Throughput, len(document.Settings.Threads), "%s: %s", c.ID, c.Reason)
			}
		})
	}
	t.Run("drift", func(t *testing.T) {
		document, status := run(t, timebench, 0, "drift", "CLOCK_MONOTONIC_RAW", "--duration", "1s", "--load")
		require.Zero(t, status)
		for _, c := range drift.Of(document).Clocks {
			require.NotEmpty(t, c.Points, "%s: %s", c.ID, c.Reason)
		}
	})
	t.Run("doctor", func(t *testing.T) {
		document, status := run(t, timebench, 0, "doctor", "--fail-on", "never")
		require.Zero(t, status)
		require.NotNil(t, verify.Of(document))
	})
	for _, args := range [][]string{
		{"verify", "CLOCK_MONOTONIC", "--duration", "1h"},
		{"skew", "CLOCK_MONOTONIC", "--duration", "1h"},
		{"drift", "CLOCK_MONOTONIC_RAW", "--duration", "1h"},
		{"compare", "CLOCK_MONOTONIC", "--threads", each, "--throughput-time", "1h"},
		{"compare", "--threads", "1", "--rounds", "1000"},
	} {
		t.Run(strings.Join(args, " ")+" until a signal", func(t *testing.T) {
			_, status := run(t, timebench, syscall.SIGTERM, args...)
			require.Equal(t, 128+int(syscall.SIGTERM), status)
		})
	}
}
