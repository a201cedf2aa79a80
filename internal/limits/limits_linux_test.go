package limits

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// commands are one of each family.
var commands = [][]string{
	{"version"}, {"env"}, {"list"}, {"doctor", "--fast", "--fail-on", "never"},
	{"compare", "time.Now@go", "--threads", "1,2", "--time", "1ms", "--rounds", "1"},
	{"verify", "time.Now@go", "--time", "10ms"}, {"drift", "--time", "10ms"},
}

// requireLine requires that a command succeeds, or fails with one line that is no trace.
func requireLine(t *testing.T, command *exec.Cmd) (line string) {
	t.Helper()
	var stderr strings.Builder
	command.Stderr = &stderr
	err := command.Run()
	text := stderr.String()
	for _, trace := range []string{"goroutine", "fatal error", "SIGABRT", "runtime:"} {
		require.NotContains(t, text, trace, command.Args)
	}
	if err == nil {
		return ""
	}
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit), "%v: %v", command.Args, err)
	require.Equal(t, 1, exit.ExitCode(), "%v: %s", command.Args, text)
	require.Equal(t, 1, strings.Count(text, "\n"), "%v: %s", command.Args, text)
	return text
}

// However few files may be open, the program says so, or does what it is told.
func TestFewFiles(t *testing.T) {
	need.Processes(t)
	program, prlimit := need.Timebench(t), need.Program(t, "prlimit")
	for _, args := range commands {
		for files := 4; files < 14; files++ {
			line := requireLine(t, exec.Command(prlimit, append([]string{"--nofile=" + strconv.Itoa(files), program}, args...)...))
			if files < 7 {
				require.Contains(t, line, "the limit of open files is "+strconv.Itoa(files)+" (ulimit -n); timebench needs at least 8\n")
			}
		}
		line := requireLine(t, exec.Command(prlimit, append([]string{"--nofile=" + strconv.Itoa(fewestFiles), program}, args...)...))
		require.Empty(t, line, args)
	}
}

// The same with few processes, which are threads too. Below 5 the Go runtime has not enough to begin.
func TestFewProcesses(t *testing.T) {
	need.Processes(t)
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root becomes a user without processes")
	}
	program, prlimit, setpriv := need.Timebench(t), need.Program(t, "prlimit"), need.Program(t, "setpriv")
	require.NoError(t, os.Chmod(filepath.Dir(program), 0o755)) // the user runs it
	for _, args := range commands {
		for _, processes := range []int{8, 10, 12, 16, 19, 20, 24, 32} {
			command := exec.Command(setpriv, append([]string{"--reuid", "54321", "--clear-groups", prlimit, "--nproc=" + strconv.Itoa(processes), program}, args...)...)
			command.Dir = "/"
			line := requireLine(t, command)
			if processes < 16 {
				require.Contains(t, line, "the limit of processes is "+strconv.Itoa(processes)+" (ulimit -u), which counts threads; timebench needs at least ")
			}
		}
	}
}
