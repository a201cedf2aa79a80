package limits

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
	"golang.org/x/sys/unix"
)

// commands has a command of each family.
var commands = [][]string{
	{"version"}, {"env"}, {"list"}, {"doctor", "--fast", "--fail-on", "never"},
	{"compare", "time.Now@go", "--threads", "1,2", "--throughput-time", "1ms", "--rounds", "1"},
	{"verify", "time.Now@go", "--duration", "10ms"}, {"drift", "--duration", "10ms"},
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
	require.ErrorAs(t, err, &exit, "%v", command.Args)
	require.Equal(t, 1, exit.ExitCode(), "%v: %s", command.Args, text)
	require.Equal(t, 1, strings.Count(text, "\n"), "%v: %s", command.Args, text)
	return text
}

// However few files may be open, the program reports that, or does its work. Each worker process needs files of this
// process: that limit is named.
func TestFewFiles(t *testing.T) {
	need.Processes(t)
	program, prlimit := need.Timebench(t), need.Program(t, "prlimit")
	few := func(files int, args ...string) string {
		return requireLine(t, exec.Command(prlimit, append([]string{"--nofile=" + strconv.Itoa(files), program}, args...)...))
	}
	for _, files := range []int{4, 6} {
		require.Contains(t, few(files, "version"), "the limit of open files is "+strconv.Itoa(files)+
			" (ulimit -n); timebench needs at least 9\n")
	}
	for _, args := range commands {
		few(fewestFiles-2, args...)
		require.Empty(t, few(fewestFiles, args...), args)
	}
	for _, files := range []int{10, 20} {
		require.Regexp(t, `of 9: .*raise the limit of open files \(ulimit -n\)\n$`, few(files, "compare", "time.Now@go",
			"--threads", "9", "--rounds", "1", "--throughput-time", "1ms", "--workers", "processes"))
	}
}

// user is a user without other processes, such as of a second run of these tests: the limit counts all processes of a
// user.
var user = 50_000 + os.Getpid()%10_000

// withFewProcesses returns a command of a user without other processes under a limit.
func withFewProcesses(t *testing.T, limit int, args ...string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		need.Missing(t, "root", "only root becomes a user without processes")
	}
	command := exec.Command(need.Program(t, "prlimit"), append([]string{"--nproc=" + strconv.Itoa(limit)}, args...)...)
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	return command
}

// forAll builds the program and lets other users run it.
func forAll(t *testing.T) (program string) {
	t.Helper()
	need.Processes(t)
	program = need.Timebench(t)
	require.NoError(t, os.Chmod(filepath.Dir(program), 0o755))
	return program
}

// The same with few processes, which are threads too. Below 5 the Go runtime has not enough to begin.
func TestFewProcesses(t *testing.T) {
	program := forAll(t)
	for _, limit := range []int{8, 12, 15} {
		require.Equal(t, "timebench: the limit of processes is "+strconv.Itoa(limit)+
			" (ulimit -u), which counts the threads of all processes of the user; timebench needs at least 16 for itself\n",
			requireLine(t, withFewProcesses(t, limit, program, "version")))
	}
	for _, args := range commands {
		const enough = 1024
		require.Empty(t, requireLine(t, withFewProcesses(t, enough, append([]string{program}, args...)...)), args)
	}
}

// Two capabilities are exempt from the limit. Root of a user namespace is not.
func TestExemptFromTheLimitOfProcesses(t *testing.T) {
	program := forAll(t)
	const few = 8
	for capability, isExempt := range map[uintptr]bool{unix.CAP_SYS_RESOURCE: true, unix.CAP_SYS_ADMIN: true,
		unix.CAP_CHOWN: false} {
		if held, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, capability, 0, 0, 0); err != nil || held == 0 {
			t.Logf("the test does not have the capability %d itself", capability)
			continue
		}
		command := withFewProcesses(t, few, program, "version")
		command.SysProcAttr.AmbientCaps = []uintptr{capability}
		require.Equal(t, isExempt, requireLine(t, command) == "", capability)
	}
	unshare := []string{need.Program(t, "unshare"), "--user", "--map-root-user"}
	if said, err := withFewProcesses(t, few, append(unshare, "true")...).CombinedOutput(); err != nil {
		need.Missing(t, "user namespaces", string(said))
	}
	require.NotEmpty(t, requireLine(t, withFewProcesses(t, few, append(unshare, program, "version")...)))
}

// A command that needs more threads than the system allows reports it, and leaves no folder.
func TestTooFewProcessesForTheThreads(t *testing.T) {
	program, folder := forAll(t), need.Folder(t)
	require.NoError(t, os.Chown(folder, user, user))
	for _, workers := range []string{"threads", "processes"} {
		for _, limit := range []int{40, 20} {
			line := requireLine(t, withFewProcesses(t, limit, program, "compare", "time@vdso", "--threads", "100", "--rounds",
				"1",
				"--workers", workers, "--out", filepath.Join(folder, "report")))
			require.Contains(t, line, "ulimit -u", "%s %d", workers, limit)
			require.Empty(t, need.FilesIn(t, folder))
			require.NoDirExists(t, filepath.Join(folder, "report"))
		}
	}
}
