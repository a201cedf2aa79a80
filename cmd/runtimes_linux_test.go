package cmd

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

// onTerminal starts timebench in a session of its own on a terminal, with a program python3 that is this shell script.
// It returns both ends of the terminal.
func onTerminal(t *testing.T, script string) (running *started, user, terminal *os.File) {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "python3"), []byte("#!/bin/sh\n"+script), 0o700))
	user, terminal = openTerminal(t)
	command := exec.Command("timebench", "runtimes", "python3", "--call-time", "20ms")
	command.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	command.Stdin = terminal
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return requireStart(t, command), user, terminal
}

// A runtime cannot change the terminal.
func TestRuntimeHasNoTerminal(t *testing.T) {
	t.Parallel()
	need.Program(t, "stty")
	running, _, terminal := onTerminal(t, `trap '' TTOU
stty -echo raw </dev/tty
[ $1 = --version ] && echo Python 3.1 && exit
exit 3
`)
	_, fresh := openTerminal(t)
	before, err := unix.IoctlGetTermios(int(fresh.Fd()), unix.TCGETS)
	require.NoError(t, err)
	require.Equal(t, 1, running.status(), "there is no runtime to measure")
	after, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Contains(t, running.stderr.String(), "exit status 3")
}

// Ctrl-C reaches timebench only, which ends the runtime.
func TestInterruptedByTheTerminal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pid")
	running, user, _ := onTerminal(t, "trap '' INT HUP\necho $$ >"+file+".new; mv "+file+".new "+file+
		"; exec sleep 1000\n")
	var pid int
	require.NoError(t, running.until("the runtime", func() bool {
		text, err := os.ReadFile(file)
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		return err == nil
	}))
	_, err := user.WriteString("\x03")
	require.NoError(t, err)
	require.Equal(t, 130, running.status())
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
}

// On a terminal, nothing moves the cursor over what a profiled command prints there.
func TestOutputOfAProfiledCommandStays(t *testing.T) {
	t.Parallel()
	script, timebench := need.Program(t, "script"), need.Program(t, "timebench")
	// Longer than the bar takes to appear, and with a line that has no end yet.
	const prints = `echo first; printf last; sleep 1.2; echo " line"`
	command := exec.Command(script, "-qec", timebench+" profile --format csv -- sh -c '"+prints+"'", os.DevNull)
	command.Env = append(os.Environ(), "TERM=xterm")
	text, err := command.Output()
	if strings.Contains(string(text), "perf_event") {
		need.Missing(t, "perf events", string(text))
	}
	require.NoError(t, err, string(text))
	require.True(t, strings.HasPrefix(string(text), "first\r\nlast line\r\n"), "%q", text)
	require.NotContains(t, string(text), "\x1b")
}
