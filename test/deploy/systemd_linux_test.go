package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
)

// Systemd accepts each unit, and the programs that it starts exist. A package has timebench in another folder than the
// README. Services are hardened.
func TestUnits(t *testing.T) {
	need.Minutes(t)
	analyze := need.Program(t, "systemd-analyze")
	installed := t.TempDir()
	binary := need.Timebench(t)
	names, err := filepath.Glob("../../deploy/systemd/*")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		unit := strings.ReplaceAll(read(t, name), "ExecStart=timebench ", "ExecStart="+binary+" ")
		require.NotContains(t, read(t, name), "bin/timebench", "systemd searches /usr/local/bin and /usr/bin")
		require.NoError(t, os.WriteFile(filepath.Join(installed, filepath.Base(name)), []byte(unit), 0o600))
	}
	for _, name := range names {
		said, err := exec.Command(analyze, "verify", "--man=no", filepath.Join(installed, filepath.Base(name))).CombinedOutput()
		require.NoError(t, err, "%s", said)
		require.Empty(t, string(said))
		if filepath.Ext(name) != ".service" {
			continue
		}
		said = need.Output(t, exec.Command(analyze, "security", "--offline=true", name))
		level := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`).FindSubmatch(said)
		require.NotNil(t, level, "%s", said)
		exposure, err := strconv.ParseFloat(string(level[1]), 64)
		require.NoError(t, err)
		const worst = 2.5 // of 10; a service without a sandbox has 9.6
		require.LessOrEqual(t, exposure, worst, "%s: %s", name, said)
	}
}

// allowed returns the system calls of a list of SystemCallFilter, including the calls of its groups.
func allowed(t *testing.T, list string) map[string]bool {
	t.Helper()
	calls := map[string]bool{}
	for _, item := range strings.Fields(list) {
		if !strings.HasPrefix(item, "@") {
			calls[item] = true
			continue
		}
		said := need.Output(t, exec.Command(need.Program(t, "systemd-analyze"), "--no-pager", "syscall-filter", item))
		var within []string
		for line := range strings.Lines(string(said)) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && line != item {
				within = append(within, line)
			}
		}
		for call := range allowed(t, strings.Join(within, " ")) {
			calls[call] = true
		}
	}
	return calls
}

// The service allows the system calls of a watch. It refuses some calls, which a watch can do without.
func TestServiceAllowsWhatWatchDoes(t *testing.T) {
	need.Minutes(t)
	strace := need.Program(t, "strace")
	unit := read(t, "../../deploy/systemd/timebench-watch.service")
	filter := regexp.MustCompile(`(?m)^SystemCallFilter=(.*)$`).FindStringSubmatch(unit)
	require.NotNil(t, filter)
	calls := allowed(t, filter[1])
	require.True(t, calls["clock_gettime"] && calls["prctl"] && calls["futex"])
	start := regexp.MustCompile(`(?m)^ExecStart=timebench (.*)$`).FindStringSubmatch(unit)
	require.NotNil(t, start)

	traced := filepath.Join(t.TempDir(), "calls")
	args := strings.Fields(strings.Replace(start[1], "127.0.0.1:9109", address(t), 1))
	// With -D the child is the program, and strace a grandchild.
	command := exec.Command(strace, append([]string{"-D", "-f", "-o", traced, need.Timebench(t)}, args...)...)
	var said bytes.Buffer
	command.Stderr = &said
	require.NoError(t, command.Start())
	has := func(text string) bool {
		content, _ := os.ReadFile(traced)
		return bytes.Contains(content, []byte(text))
	}
	need.Until(t, "the first turn", func() bool { return has("adjtimex(") && has("PR_SET_SECCOMP") })
	time.Sleep(3 * time.Second) // an examination and some beats, as far as the machine gets
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	require.NoError(t, command.Wait(), said.String())
	need.Until(t, "strace", func() bool { return has("+++ exited with 0 +++") })
	seen := map[string]bool{}
	for _, call := range regexp.MustCompile(`(?m)^\d+ +(\w+)\(`).FindAllStringSubmatch(read(t, traced), -1) {
		seen[call[1]] = true
	}
	require.True(t, seen["prctl"] && seen["adjtimex"], "%v", seen)
	for call := range seen {
		require.True(t, calls[call] || doesWithout[call], "%s is not in SystemCallFilter", call)
	}
}

// doesWithout are the calls that a watch can do without.
var doesWithout = map[string]bool{
	"perf_event_open": true, // an examination that is not fast profiles programs
	"execve":          true, // of strace itself
}
