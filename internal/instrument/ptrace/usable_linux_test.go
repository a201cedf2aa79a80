package ptrace

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// A filter of seccomp that denies ptrace(2), with an error or by a signal, is the reason.
func TestSeccomp(t *testing.T) {
	usableOrSkip(t)
	self, err := os.Executable()
	require.NoError(t, err)
	for _, how := range []string{"errno", "kill"} {
		command := exec.Command(self)
		command.Env = append(os.Environ(), role+"="+how)
		output, err := command.CombinedOutput()
		if command.ProcessState != nil && command.ProcessState.ExitCode() == 99 {
			need.Missing(t, "seccomp", how)
		}
		require.NoError(t, err, string(output))
		require.Equal(t, "ptrace is not permitted here (a seccomp filter of this container, perhaps)",
			string(output), how)
	}
}

// Where timebench itself is traced, its children are traced by the same tracer already.
func TestTracedTimebench(t *testing.T) {
	usableOrSkip(t)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(need.Program(t, "strace"), "-f", "-o", "/dev/null", self)
	command.Env = append(os.Environ(), role+"=usable")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Regexp(t, `^ptrace is not permitted here \(process \d+ traces timebench itself\)$`, string(output))
}

func TestReason(t *testing.T) {
	started := fmt.Errorf("fork/exec: %w", unix.EPERM)
	for _, c := range []struct {
		err    error
		files  map[string]string
		reason string
	}{
		{started, map[string]string{"scope": "3", "Seccomp:": "2"},
			"ptrace is not permitted here (kernel.yama.ptrace_scope is 3)"},
		{started, map[string]string{"scope": "2"},
			"ptrace is not permitted here (kernel.yama.ptrace_scope is 2, which requires CAP_SYS_PTRACE)"},
		{started, map[string]string{"scope": "1", "Seccomp:": "2"},
			"ptrace is not permitted here (a seccomp filter of this container, perhaps)"},
		{started, map[string]string{"scope": "3", "TracerPid:": "77"},
			"ptrace is not permitted here (process 77 traces timebench itself)"},
		{started, map[string]string{"TracerPid:": "0", "Seccomp:": "0"},
			"ptrace is not permitted here (fork/exec: operation not permitted)"},
		{errEarly, nil, "ptrace is not permitted here (the program ended before its first instruction)"},
		{fmt.Errorf("fork/exec: %w", unix.ENOSYS), map[string]string{"scope": "3"},
			"ptrace does not work here: this system does not have the call; an emulator such as qemu-user lacks it"},
		{errOldKernel, nil, "ptrace needs Linux 5.3 (PTRACE_GET_SYSCALL_INFO)"},
		{errors.New("something else"), nil, "ptrace does not work here: something else"},
	} {
		require.Equal(t, c.reason, reason(c.err, func(file, key string) string {
			if file == "/proc/sys/kernel/yama/ptrace_scope" {
				return c.files["scope"]
			}
			require.Equal(t, "/proc/self/status", file)
			return c.files[key]
		}))
	}
}
