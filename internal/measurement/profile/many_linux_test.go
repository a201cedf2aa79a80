package profile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/process"
	"github.com/timebench/timebench/test/memory"
	"github.com/timebench/timebench/test/need"
)

// prepared starts a program of testdata that prints when it is ready, and returns its process.
func prepared(t testing.TB, name string, args ...string) (pid int) {
	t.Helper()
	need.Processes(t)
	command := exec.Command(need.Compiled(t, "testdata/"+name+".c", "-O2"), args...)
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	command.Stderr = os.Stderr
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = command.Wait() // the processes that it started end with it
	})
	_, err = fmt.Fscanf(stdout, "ready %d", &pid)
	require.NoError(t, err)
	return pid
}

// ofMany profiles the machine by the program, and returns the profile and the max memory of the program.
func ofMany(t testing.TB, args ...string) (p Profile, maxBytes int64) {
	t.Helper()
	command := exec.Command(need.Timebench(t),
		append([]string{"profile", "--quiet", "--format", "json", "--duration", "2s"}, args...)...)
	var stdout bytes.Buffer
	var stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Start())
	maxBytes, err := memory.Wait(command)
	require.NoError(t, err, stderr.String())
	t.Logf("%d bytes", maxBytes)
	return profileIn(t, stdout.Bytes()), maxBytes
}

const (
	manyProcesses = 2000
	manyThreads   = 5000
	manyBytes     = 100e6
)

// A machine with many processes and threads costs little memory, and each lost sample is reported.
func TestManyProcessesAndThreads(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	allowed(t, Settings{})
	pid := prepared(t, "many", strconv.Itoa(manyProcesses), strconv.Itoa(manyThreads))
	require.Len(t, process.Threads(pid), manyThreads)
	p, bytes := ofMany(t)
	require.Less(t, bytes, int64(manyBytes))
	require.Zero(t, p.LostSamples)
	require.Empty(t, p.Unseen)
	require.Positive(t, only(t, p, pid).Samples)
}

// A process of another user can have arguments of any length in /proc. They cost timebench no memory.
func TestLongArgumentsCostNoMemory(t *testing.T) {
	need.Minutes(t)
	t.Parallel()
	allowed(t, Settings{})
	const mebibytes = 512
	pid := prepared(t, "arguments", strconv.Itoa(mebibytes))
	for _, args := range [][]string{nil, {"arguments"}} {
		p, bytes := ofMany(t, args...)
		require.Less(t, bytes, int64(manyBytes))
		require.Positive(t, only(t, p, pid).Samples)
	}
}
