package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// leftSwitched returns the files of a machine whose clock source an experiment left at hpet.
func leftSwitched(t *testing.T) clocksource.Folder {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	write(string(clocksource.Sysfs)+"/current_clocksource", "hpet\n")
	write(string(clocksource.Sysfs)+"/available_clocksource", "tsc hpet acpi_pm \n")
	require.NoError(t, os.Symlink("/proc", filepath.Join(root, "proc")))
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	require.NoError(t, err)
	namespace, err := os.Readlink("/proc/self/ns/pid")
	require.NoError(t, err)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		need.Missing(t, "processes", err.Error())
	}
	write("run/timebench/clocksource.json", fmt.Sprintf(`{"original":"tsc","since":"2026-11-21T03:00:00Z","process":{"pid":%d,"started":1},`+
		`"guardian":{"pid":%[1]d,"started":2},"boot_id":%q,"pid_namespace":%q}`, ended.Process.Pid, strings.TrimSpace(string(boot)), namespace))
	return clocksource.Folder(root) + clocksource.Sysfs
}

// factsOfLeftSwitched returns the facts that host reports for such a machine.
func factsOfLeftSwitched() *result.Host {
	return &result.Host{
		ClockSource:           &result.ClockSource{Current: "hpet", Available: []string{"tsc", "hpet", "acpi_pm"}},
		UnrestoredClockSource: &result.UnrestoredClockSource{Original: "tsc", PID: 412},
	}
}

func TestEarlierExperimentIsRestored(t *testing.T) {
	folder, facts := leftSwitched(t), factsOfLeftSwitched()
	noTerminal, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer func() { _ = noTerminal.Close() }()
	var out bytes.Buffer
	err = restoreEarlier(folder, noTerminal, &out, false, facts)
	require.ErrorContains(t, err, "left the clock source switched to hpet; it was tsc, and there is no terminal to ask on; add --yes")
	require.NotContains(t, err.Error(), "\n")
	require.NotNil(t, folder.Abandoned())
	require.Empty(t, out.String())

	require.NoError(t, restoreEarlier(folder, noTerminal, &out, true, facts))
	require.Equal(t, "Restoring tsc: an earlier experiment was killed and left the clock source switched to hpet; it was tsc.\n", out.String())
	now, err := folder.Current()
	require.NoError(t, err)
	require.Equal(t, "tsc", now)
	require.Nil(t, folder.Abandoned())
	require.Equal(t, "tsc", facts.ClockSource.Current)
	require.Nil(t, facts.UnrestoredClockSource)

	out.Reset()
	require.NoError(t, restoreEarlier(folder, noTerminal, &out, false, facts), "nothing is left")
	require.Empty(t, out.String())
}

func TestEarlierExperimentIsRestoredAsAnswered(t *testing.T) {
	for answer, want := range map[string]string{"y": "tsc", "YES": "tsc", "": "hpet", "n": "hpet", "maybe": "hpet"} {
		folder, facts := leftSwitched(t), factsOfLeftSwitched()
		user, terminal := openTerminal(t)
		_, err := user.WriteString(answer + "\n")
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, restoreEarlier(folder, terminal, &out, false, facts), answer)
		require.True(t, strings.HasSuffix(out.String(), "\nRestore tsc? [y/N] "), out.String())
		now, err := folder.Current()
		require.NoError(t, err)
		require.Equal(t, want, now, answer)
		require.Equal(t, want, facts.ClockSource.Current, answer)
	}
}

// openTerminal returns the two ends of a terminal.
func openTerminal(t *testing.T) (user, terminal *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		need.Missing(t, "terminal", err.Error())
	}
	t.Cleanup(func() { _ = user.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		need.Missing(t, "terminal", err.Error())
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return user, terminal
}
