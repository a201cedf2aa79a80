package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/planted"
	"golang.org/x/sys/unix"
)

// ran runs a program and returns its exit status and its output.
func ran(t testing.TB, name string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	command := exec.Command(name, args...)
	var outBuffer, errBuffer bytes.Buffer
	command.Stdout, command.Stderr = &outBuffer, &errBuffer
	err := need.Run(command)
	if exit := new(exec.ExitError); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return command.ProcessState.ExitCode(), outBuffer.String(), errBuffer.String()
}

// saved writes a document of n+1 clocks, and returns the name of the file. One picture is drawn of it.
func saved(t testing.TB, n int) string {
	t.Helper()
	var ids []string
	for i := range n + 1 {
		ids = append(ids, fmt.Sprintf("clock%d@go", i))
	}
	document := plantedDocument("test", 1, ids...)
	for i := range ids {
		compare.Into(document).Clocks[i].Throughput = nil
	}
	var out bytes.Buffer
	require.NoError(t, document.Write(&out))
	name := filepath.Join(t.TempDir(), "saved.json")
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o600))
	return name
}

// A disk that fills up at any point of a write leaves the whole old set, and one line that names no temporary file. A
// set that is written leaves no file of the old one.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	old, fresh := saved(t, 0), saved(t, 3)
	for _, target := range []string{"report", "report.zip"} {
		disk := smallDisk(t, "8m")
		folder := filepath.Join(disk, "results")
		out := filepath.Join(folder, target)
		status, _, stderr := ran(t, "timebench", "render", old, "--out", out)
		require.Zero(t, status, stderr)
		before, written := need.FilesIn(t, folder), false
		for free := int64(0); !written; free += 12<<10 + 3*free {
			require.Less(t, free, int64(4<<20))
			fill(t, disk, free)
			status, _, stderr := ran(t, "timebench", "render", fresh, "--quiet", "--out", out)
			after := need.FilesIn(t, folder)
			if written = status == 0; !written {
				require.Equal(t, 1, status, stderr)
				require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
				require.NotContains(t, stderr, ".timebench-")
				require.Equal(t, before, after)
				require.NoError(t, os.Remove(filepath.Join(disk, "ballast")))
				continue
			}
			require.NotZero(t, free)
			require.Empty(t, stderr)
			require.ElementsMatch(t, slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
			for name := range before {
				require.NotEqual(t, before[name], after[name], name)
			}
		}
	}
}

// A disk without space for the set keeps no new folder, and keeps the user's own.
func TestFullDiskKeepsNoNewFolder(t *testing.T) {
	t.Parallel()
	document, disk := saved(t, 0), smallDisk(t, "8m")
	require.NoError(t, os.MkdirAll(filepath.Join(disk, "old", "charts"), 0o755))
	fill(t, disk, 4<<10)
	for _, out := range []string{"new/below/report", "new/report.zip", "old", "old/report"} {
		status, _, stderr := ran(t, "timebench", "render", document, "--out", filepath.Join(disk, out))
		require.Equal(t, 1, status, stderr)
		require.Contains(t, stderr, "no space left on device")
		for folder, want := range map[string][]string{"": {"ballast", "old"}, "old": {"charts"}} {
			entries, err := os.ReadDir(filepath.Join(disk, folder))
			require.NoError(t, err)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			require.Equal(t, want, names, out)
		}
	}
}

// smallDisk mounts a file system of a size.
func smallDisk(t *testing.T, size string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := unix.Mount("none", folder, "tmpfs", 0, "size="+size); err != nil {
		need.Missing(t, "root", "only root may mount a small file system: "+err.Error())
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(folder, unix.MNT_DETACH)) })
	return folder
}

// fill makes a file "ballast" on a disk that leaves remain bytes free.
func fill(t *testing.T, disk string, remain int64) {
	t.Helper()
	var there unix.Statfs_t
	require.NoError(t, unix.Statfs(disk, &there))
	file, err := os.Create(filepath.Join(disk, "ballast"))
	require.NoError(t, err)
	require.NoError(t, unix.Fallocate(int(file.Fd()), 0, 0, int64(there.Bfree*uint64(there.Bsize))-remain))
	require.NoError(t, file.Close())
}

// Output that cannot be written is exit status 1 and one line, for every command; of doctor, where 1 is a finding, it
// is 3. The tests of package render try every format.
func TestFullOutput(t *testing.T) {
	t.Parallel()
	document := saved(t, 0)
	commands := [][]string{
		{}, {"--help"}, {"--version"}, {"version"}, {"help"}, {"help", "compare"}, {"compare", "--help"}, {"list"}, {"env"},
		{"env", "--format", "json"},
		{"completion"}, {"completion", "bash"}, {"completion", "powershell"},
		{"__complete", "compare", ""}, {"compare", "time.Now@go", "--threads", "1", "--throughput-time", "2ms", "--rounds",
			"1"},
		{"doctor", "--fast"},
		{"render", document}, {"diff", document, document}, {"doctor", document}, {"doctor", document, "--format", "nagios"},
		{"verify", "time.Now@go", "--duration", "10ms"}, {"skew", "time.Now@go", "--duration", "10ms"},
		{"drift", "CLOCK_MONOTONIC_RAW@syscall", "--duration", "10ms"},
		{"wake", "nanosleep", "--spans", "1ms", "--duration", "1s"}, {"runtimes", "go", "--call-time", "20ms"},
		{"fleet", document},
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer func() { _ = full.Close() }()
	for _, args := range commands {
		if len(thread.Usable()) == 1 && len(args) > 0 && args[0] == "skew" {
			continue
		}
		var stderr bytes.Buffer
		command := exec.Command("timebench", args...)
		command.Stdout, command.Stderr = full, &stderr
		_ = need.Run(command)
		want := 1
		if len(args) > 0 && args[0] == "doctor" {
			want = couldNotTell
		}
		require.Equal(t, want, command.ProcessState.ExitCode(), args)
		if len(args) > 0 && args[0] == "__complete" {
			continue // it also reports to the shell on standard error
		}
		require.Equal(t, "timebench: write /dev/stdout: no space left on device\n", stderr.String(), args)
	}
}

// The scripts leave out what needs a missing program or a second CPU; this test does not let that go unnoticed.
func TestNeedsOfScripts(t *testing.T) {
	for _, name := range []string{"mkfifo", "script", "tar", "taskset"} {
		t.Run(name, func(t *testing.T) { need.Program(t, name) })
	}
	t.Run("two CPUs", func(t *testing.T) { planted.TwoCPUs(t) })
}
