package measure

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// refusal runs a command of timebench that fails, and returns its only line.
func refusal(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	text, err := command.CombinedOutput()
	require.Error(t, err, "%v", command.Args)
	require.Equal(t, 1, command.ProcessState.ExitCode(), "%v: %s", command.Args, text)
	require.Equal(t, 1, strings.Count(string(text), "\n"), "%v: %s", command.Args, text)
	return string(text)
}

// A command that needs more threads than the system allows reports it, and leaves no folder.
func TestTooFewProcessesForTheThreads(t *testing.T) {
	need.Processes(t)
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root becomes a user without processes")
	}
	const user = 54321 // without other processes: the limit counts all processes of a user
	program, prlimit, folder := need.Timebench(t), need.Program(t, "prlimit"), need.Folder(t)
	require.NoError(t, os.Chmod(filepath.Dir(program), 0o755))
	require.NoError(t, os.Chown(folder, user, user))
	for _, workers := range []string{"threads", "processes"} {
		for _, limit := range []int{40, 20} {
			command := exec.Command(prlimit, "--nproc="+strconv.Itoa(limit), program, "compare", "time@vdso",
				"--threads", "100", "--rounds", "1", "--workers", workers, "--out", filepath.Join(folder, "report"))
			command.Dir = "/"
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
			require.Contains(t, refusal(t, command), "ulimit -u", "%s %d", workers, limit)
			require.Empty(t, need.FilesIn(t, folder))
			require.NoDirExists(t, filepath.Join(folder, "report"))
		}
	}
}

// Each worker process needs files of this process: that limit is named.
func TestTooFewOpenFilesForTheWorkers(t *testing.T) {
	need.Processes(t)
	program, prlimit := need.Timebench(t), need.Program(t, "prlimit")
	for _, limit := range []string{"10", "20"} {
		line := refusal(t, exec.Command(prlimit, "--nofile="+limit, program, "compare", "time.Now@go",
			"--threads", "9", "--rounds", "1", "--throughput-time", "1ms", "--workers", "processes"))
		require.Contains(t, line, "of 9: ")
		require.Contains(t, line, "raise the limit of open files (ulimit -n)")
		require.NotContains(t, line, "ulimit -u")
	}
}
