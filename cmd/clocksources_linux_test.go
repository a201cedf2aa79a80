package cmd

import (
	"bytes"
	"fmt"
	"os"
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
	write("run/timebench/clocksource.json",
		fmt.Sprintf(`{"original":"tsc","since":"2026-11-21T03:00:00Z","pid":412,"boot_id":%q}`, bytes.TrimSpace(boot)))
	return clocksource.Folder(root) + clocksource.Sysfs
}

func TestEarlierExperimentIsRestored(t *testing.T) {
	for answer, want := range map[string]string{"y": "tsc", "YES": "tsc", "--yes": "tsc", "": "hpet", "n": "hpet",
		"maybe": "hpet", "no terminal": "hpet"} {
		folder := leftSwitched(t)
		facts := &result.Host{
			ClockSource:           &result.ClockSource{Current: "hpet", Available: []string{"tsc", "hpet", "acpi_pm"}},
			UnrestoredClockSource: &result.UnrestoredClockSource{Original: "tsc", PID: 412},
		}
		user, terminal := openTerminal(t)
		_, err := user.WriteString(answer + "\n")
		require.NoError(t, err)
		if answer == "no terminal" {
			terminal, err = os.Open(os.DevNull)
			require.NoError(t, err)
		}
		var out bytes.Buffer
		others, err := compareFlags{sources: "all", yes: answer == "--yes"}.otherSources(folder, terminal, &out, facts)
		require.NoError(t, terminal.Close())
		if want == "tsc" {
			require.NoError(t, err, answer)
			require.Equal(t, []string{"hpet", "acpi_pm"}, others)
		} else {
			require.Equal(t, map[bool]int{true: 2, false: 1}[answer == "no terminal"], statusOfError(err))
			require.NotContains(t, err.Error(), "\n")
		}
		for _, said := range []string{ // what changes, what may last, and how to undo it
			"An earlier experiment was killed and left the clock source switched to hpet. First, tsc is restored.\n",
			"its clock source will be hpet, then acpi_pm, then tsc again", "restores tsc when this one ends",
			"may mark tsc as unstable and withdraw it", "until the\nnext boot",
			"echo | sudo tee " + string(clocksource.Sysfs) + "/current_clocksource\n",
		} {
			require.Equal(t, answer != "no terminal", strings.Contains(out.String(), said), "%s: %s", answer, said)
		}
		now, err := folder.Current()
		require.NoError(t, err)
		require.Equal(t, want, now, answer)
		require.Equal(t, want, facts.ClockSource.Current, answer)
		require.Equal(t, want == "hpet", folder.Abandoned() != nil)
		require.Equal(t, want == "hpet", facts.UnrestoredClockSource != nil)
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
