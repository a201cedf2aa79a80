//go:build linux

package wine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/test/need"
)

// windowsPath returns the path under which Wine has a file.
func windowsPath(path string) string { return "Z:" + strings.ReplaceAll(path, "/", `\`) }

// lost is the reason of a row whose program Wine 8 lost: on a busy machine CreateProcess fails once in some thousand
// starts with ERROR_INTERNAL_ERROR, because the new process ended before it began.
const lost = "Internal error."

// runtimesBy runs a command that measures runtimes with --out report, and returns its section and how it ended. If Wine
// lost a program, it runs the command again, up to five times.
func runtimesBy(t *testing.T, folder string, environment []string, command ...string) (*runtimes.Runtimes, ran) {
	t.Helper()
	for left := 4; ; left-- {
		ended := run(t, folder, environment, command...)
		document, err := sections.Load(filepath.Join(folder, "report"))
		require.NoError(t, err, "status %d: %s", ended.status, ended.stderr)
		section := runtimes.Of(document)
		require.NotNil(t, section)
		if left == 0 || !slices.ContainsFunc(section.Runtimes,
			func(r runtimes.MeasuredRuntime) bool { return strings.Contains(r.Reason, lost) }) {
			return section, ended
		}
		t.Logf("Wine lost a program: %+v", section.Runtimes)
		leavesNothing(t, folder)
		started, err := filepath.Glob(filepath.Join(folder, "*.started"))
		require.NoError(t, err)
		for _, name := range started {
			require.NoError(t, os.Remove(name))
		}
	}
}

// leavesNothing fails if a program in this folder still runs, and ends it.
func leavesNothing(t *testing.T, folder string) {
	t.Helper()
	left := need.Marked(t, windowsPath(folder))
	for deadline := time.Now().Add(20 * time.Second); len(left) > 0 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
		left = need.Marked(t, windowsPath(folder))
	}
	for _, process := range left {
		pid, err := strconv.Atoi(strings.Fields(process)[0])
		require.NoError(t, err)
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	require.Empty(t, left, "processes that were not ended")
}

// fakes makes programs of testdata/runtime.c, and batch files, and returns their folder.
func fakes(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	program, err := os.ReadFile(compiled(t, "runtime"))
	require.NoError(t, err)
	version := "@echo off\r\nif \"%1\"==\"--version\" (echo Python 9.9& exit /b 0)\r\n"
	for name, text := range map[string]string{
		"honest.exe":  string(program),
		"hangs.exe":   string(program),
		"leaves.exe":  string(program),
		"none.exe":    "not a program",
		"rubbish.bat": version + "echo rubbish\r\n",
		"fails.bat":   version + "echo Cannot find module 1>&2\r\nexit /b 3\r\n",
		"floods.bat":  "@echo off\r\n:again\r\necho 1.2 " + strings.Repeat("rubbish ", 8) + "\r\ngoto again\r\n",
		"silent.bat":  "@echo off\r\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700))
	}
	return folder
}

// Each fake is a row with its figures or its reason, whatever the others do, and none of its processes is left.
func TestFakeRuntimes(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	folder := fakes(t)
	wanted := []struct{ program, reason string }{
		{"honest.exe", ""},
		{"hangs.exe", "did not end within "},
		{"leaves.exe", ""},
		{"none.exe", "Bad EXE format"},
		{"rubbish.bat", `the benchmark answered "rubbish`},
		{"fails.bat", "exit status 3: Cannot find module"},
		{"floods.bat", "printed more than 65536 bytes"},
		{"silent.bat", "it does not print a version"},
	}
	command := []string{wine, exe, "runtimes", "python3", "--call-time", "20ms", "--out", "report"}
	for _, w := range wanted {
		command = append(command, "--runtime", "python3="+windowsPath(filepath.Join(folder, w.program)))
	}
	section, ended := runtimesBy(t, folder, nil, command...)
	leavesNothing(t, folder)
	ended.ok(t)
	require.Len(t, section.Runtimes, 1+len(wanted))
	require.Equal(t, "not found in PATH: python3, python, py", section.Runtimes[0].Reason)
	for i, w := range wanted {
		r := section.Runtimes[1+i]
		require.Equal(t, w.reason == "", r.Available, "%s: %s", w.program, r.Reason)
		require.Contains(t, r.Reason, w.reason, w.program)
		require.NotContains(t, r.Reason, "\n")
		if !r.Available {
			continue
		}
		require.Equal(t, "Python 9.9", r.Version)
		require.Equal(t, runtimes.DefaultStarts, r.Forks)
		require.Equal(t, 1.0, r.LoopNS)
		require.Equal(t, 2.0, r.CallNS)
		require.NotEmpty(t, r.Calls)
		for _, c := range r.Calls {
			require.Equal(t, 50.0, c.Latency.MedianNS, c.ID)
			require.Contains(t, c.ReadsBy, "traced on Linux only", c.ID)
			require.Zero(t, c.WithoutVDSONS, c.ID)
		}
	}
	// After the reasons, which say why where one did not.
	require.DirExists(t, filepath.Join(folder, "hangs.exe.started"), "its child never ran")
	require.DirExists(t, filepath.Join(folder, "leaves.exe.started"), "its child never ran")
}

// Ctrl-C ends a runtime that hangs, and its child, and is reported.
func TestInterruptEndsRuntimes(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	folder := fakes(t)
	// The event comes when the child runs.
	section, ended := runtimesBy(t, folder, nil, wine, compiled(t, "ctrl"), "hangs.exe.started/", "0",
		exe, "runtimes", "python3", "--runtime", "python3="+windowsPath(filepath.Join(folder, "hangs.exe")), "--out", "report")
	leavesNothing(t, folder)
	require.DirExists(t, filepath.Join(folder, "hangs.exe.started"), "its child never ran")
	require.Equal(t, 130, ended.status, ended.stderr)
	require.Equal(t, "interrupted", section.Runtimes[1].Reason)
}

// A real Python for Windows, which timebench finds in PATH. The same program runs as on Linux.
func TestPython(t *testing.T) {
	t.Parallel()
	wine, exe := built(t)
	if _, err := os.Stat(filepath.Join(os.Getenv("WINEPREFIX"), "drive_c/python/python.exe")); err != nil {
		need.Missing(t, "python.exe", "test/wine/python puts it into the Wine prefix")
	}
	environment := []string{`WINEPATH=C:\python`, "PYTHONMALLOC=debug"}
	section, ended := runtimesBy(t, t.TempDir(), environment, wine, exe, "runtimes", "python3", "--call-time", "20ms",
		"--out", "report")
	ended.ok(t)
	require.Len(t, section.Runtimes, 1)
	python := section.Runtimes[0]
	require.True(t, python.Available, python.Reason)
	require.Empty(t, python.Reason)
	require.Contains(t, python.Version, "Python 3.11")
	require.True(t, strings.EqualFold(`C:\python\python.exe`, python.Path), python.Path)
	require.Equal(t, runtimes.DefaultStarts, python.Forks)
	require.Contains(t, section.ClearedEnvironment, "PYTHONMALLOC")
	require.Positive(t, python.LoopNS)
	require.NotEmpty(t, python.Calls)
	for _, c := range python.Calls {
		require.NotNil(t, c.Latency, "%s: %s", c.ID, c.Reason)
		require.Len(t, c.Latency.SamplesNS, runtimes.DefaultStarts, c.ID)
		require.Positive(t, c.Latency.MedianNS, c.ID)
		require.NotNil(t, c.Resolution, c.ID)
		require.Empty(t, c.Reads, c.ID)
		require.Contains(t, c.ReadsBy, "traced on Linux only", c.ID)
	}
	clocks := map[string]bool{}
	for _, c := range section.Clocks {
		clocks[c.ID] = true
	}
	require.True(t, clocks["QueryPerformanceCounter@winapi"], "the clock of Windows to compare with: %v", clocks)
}
