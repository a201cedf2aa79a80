//go:build unix

package program

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

func script(t *testing.T, mode os.FileMode, text string) string {
	t.Helper()
	need.Processes(t)
	path := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.Chmod(path, mode))
	return path
}

func gone(t *testing.T, pid int) bool {
	t.Helper()
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestRunReportsHowAScriptEnds(t *testing.T) {
	need.Processes(t)
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"rubbish":      {"#!/bin/sh\nprintf '\\001\\377 %%PDF \\033[2J\\n'\n", ""},
		"silent":       {"#!/bin/sh\nexit 1\n", "exit status 1"},
		"kills itself": {"#!/bin/sh\nkill -9 $$\n", "killed by signal 9"},
		"no interpreter": {"#!/nowhere/interpreter\n",
			"its interpreter or loader is missing: no such file or directory"},
		"no program":      {"\x7fELF but not really", "exec format error"},
		"empty":           {"", "exec format error"},
		"closes outputs":  {"#!/bin/sh\nexec >&- 2>&-\nexit 0\n", ""},
		"reads its input": {"#!/bin/sh\nread line && echo got\n", "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Run(t.Context(), exec.Command(script(t, 0o700, c.text)), usual)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
	_, err := Run(t.Context(), exec.Command(script(t, 0o600, "#!/bin/sh\n")), usual)
	require.EqualError(t, err, "permission denied")
	_, err = Run(t.Context(), exec.Command(filepath.Join(t.TempDir(), "none")), usual)
	require.EqualError(t, err, "no such file or directory")
}
