// Package limits runs timebench with a low limit of processes. If the system refuses a
// thread, Go's runtime by itself prints a dump of thousands of lines.
package limits

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// nobody is a user of whom nothing else runs here: the limit is for all that a user runs.
const nobody = 65534

func TestTooFewProcessesIsALine(t *testing.T) {
	if os.Getuid() != 0 {
		need.Missing(t, "root", "another user's processes are few, and only root may be another user")
	}
	timebench := need.Timebench(t)
	open(t, filepath.Dir(timebench))
	folder := t.TempDir()
	open(t, folder)
	require.NoError(t, os.Chown(folder, nobody, nobody))
	for _, workers := range []string{"threads", "processes"} {
		for _, limit := range []string{"40", "20"} {
			t.Run(workers+" "+limit, func(t *testing.T) {
				command := exec.Command(need.Program(t, "prlimit"), "--nproc="+limit, timebench,
					"compare", "time@vdso", "--threads", "100", "--rounds", "1", "--workers", workers, "--out", filepath.Join(folder, "report"))
				command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
				var stdout, stderr bytes.Buffer
				command.Stdout, command.Stderr = &stdout, &stderr
				err := command.Run()
				var exit *exec.ExitError
				require.ErrorAs(t, err, &exit, stderr.String())
				require.Equal(t, 1, exit.ExitCode(), stderr.String())
				require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
				require.Contains(t, stderr.String(), "ulimit -u")
				left, err := os.ReadDir(folder)
				require.NoError(t, err)
				require.Empty(t, left)
			})
		}
	}
}

// The limit is named that was reached: each worker process needs files of this process.
func TestTooFewOpenFilesIsALine(t *testing.T) {
	timebench := need.Timebench(t)
	for _, limit := range []string{"10", "20"} {
		command := exec.Command(need.Program(t, "prlimit"), "--nofile="+limit, timebench,
			"compare", "time.Now@go", "--threads", "9", "--rounds", "1", "--workers", "processes")
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		require.ErrorAs(t, command.Run(), &exit, limit)
		require.Equal(t, 1, exit.ExitCode(), stderr.String())
		require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
		require.Contains(t, stderr.String(), "of 9: ")
		require.Contains(t, stderr.String(), "raise the limit of open files (ulimit -n)")
		require.NotContains(t, stderr.String(), "ulimit -u")
		require.Empty(t, stdout.String())
	}
}

// open lets other users into a folder and those above it that are this test's own.
func open(t *testing.T, folder string) {
	t.Helper()
	for ; folder != filepath.Clean(os.TempDir()) && folder != "/"; folder = filepath.Dir(folder) {
		require.NoError(t, os.Chmod(folder, 0o755))
	}
}
