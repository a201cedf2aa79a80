package cmd

import (
	"bytes"
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
// It returns the end of the terminal that is the user's, and the other.
func onTerminal(t *testing.T, script string) (command *exec.Cmd, user, terminal *os.File) {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "python3"), []byte("#!/bin/sh\n"+script), 0o700))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	user, terminal = openTerminal(t)
	command, cancel := endsInTime("timebench", "runtimes", "python3", "--call-time", "20ms")
	t.Cleanup(cancel)
	command.Stdin = terminal
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return command, user, terminal
}

// A runtime cannot change the terminal.
func TestRuntimeHasNoTerminal(t *testing.T) {
	need.Program(t, "stty")
	command, _, terminal := onTerminal(t,
		"trap '' TTOU\nstty -echo raw </dev/tty\n[ $1 = --version ] && echo Python 3.1 && exit\nexit 3\n")
	before, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	require.NoError(t, err)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	_ = command.Run() // there is no runtime to measure
	after, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Contains(t, stderr.String(), "exit status 3")
}

// Ctrl-C reaches timebench only, which ends the runtime.
func TestInterruptedByTheTerminal(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	command, user, _ := onTerminal(t, "trap '' INT HUP\necho $$ >"+started+".new; mv "+started+".new "+started+
		"; exec sleep 1000\n")
	require.NoError(t, command.Start())
	var pid int
	require.True(t, until(func() bool {
		text, err := os.ReadFile(started)
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		return err == nil
	}))
	_, err := user.WriteString("\x03")
	require.NoError(t, err)
	need.Ends(t, "timebench", func() { _ = command.Wait() })
	require.Equal(t, 130, command.ProcessState.ExitCode())
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
}
