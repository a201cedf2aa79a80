package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// No parameter that may be a secret is kept, and no text that controls a terminal.
func TestLinesOfALogArePrintable(t *testing.T) {
	root := rooted(t, map[string]string{"var/log/dmesg": "<6>[    0.000000] Command line: tsc=unstable password=x\n" +
		"<6>Kernel command line: tsc: password=x\n<6>[    0.200000]     hpet=password\n" +
		`<6>Unknown kernel command line parameters "hpet password=x", will be passed to user space.` + "\n" +
		"<6>[    0.100000] tsc: a\x1b[2Jb\tc\\x0ad  \n<6>[    0.100000] tsc: " + strings.Repeat("ü", 1000) + "\n"})
	lines := At(root).KernelLog.Lines
	require.Len(t, lines, 2)
	require.Equal(t, "[    0.100000] tsc: a [2Jb c\\x0ad", lines[0])
	require.Len(t, []rune(lines[1]), 300)
	require.True(t, strings.HasSuffix(lines[1], "ü…"))
}

func TestKernelLogBounds(t *testing.T) {
	facts := At(rooted(t, map[string]string{"var/log/kern.log": "[    0.000000] tsc: Detected 2000.000 MHz processor\n" +
		strings.Repeat("[    5.000000] hpet: x\n", 60) + "[    6.000000] tsc: Refined TSC clocksource calibration: 2100.000 MHz\n" +
		strings.Repeat("[    7.000000] hpet: y\n", 60)}))
	require.Equal(t, []string{
		"[    0.000000] tsc: Detected 2000.000 MHz processor", "[    5.000000] hpet: x (logged 60 times)",
		"[    6.000000] tsc: Refined TSC clocksource calibration: 2100.000 MHz", "[    7.000000] hpet: y (logged 60 times)",
	}, facts.KernelLog.Lines)
	require.True(t, facts.KernelLog.Truncated, "no line of the boot")
	require.Equal(t, "/var/log/kern.log", facts.KernelLog.Source)
	require.Equal(t, 2.1e9, facts.CPU.KernelTSCHz, "from a line that was left out")
}

func TestALogOfAnEarlierBootIsNotRead(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, "var/log/dmesg", []byte("[    0.000000] Linux version 6.1\n[    0.000000] tsc: old\n"))
	writeFile(t, root, "var/log/syslog", []byte("Dec  3 09:00:12 db1 kernel: Linux version 6.1\nDec  3 09:00:12 db1 kernel: tsc: new\n"))
	writeFile(t, root, "proc/stat", []byte("cpu  1 2 3 4 5 6 7 8 9 10\nbtime 1733216400\n"))
	booted := time.Unix(1733216400, 0)
	for name, after := range map[string]time.Duration{"var/log/dmesg": -time.Hour, "var/log/syslog": time.Hour} {
		require.NoError(t, os.Chtimes(filepath.Join(root, name), time.Time{}, booted.Add(after)))
	}
	log := At(root).KernelLog
	require.Equal(t, "/var/log/syslog", log.Source)
	require.Equal(t, []string{"Dec  3 09:00:12 tsc: new"}, log.Lines)
	require.NoError(t, os.Remove(filepath.Join(root, "var/log/syslog")))
	require.Contains(t, At(root).KernelLog.Reason, "/var/log/dmesg: last written at 2024-12-03 08:00:00, before this boot or before the clock was set")
}

// TestLogOfThisMachine reads what this machine lets it read.
func TestLogOfThisMachine(t *testing.T) {
	log, _ := kernelLog(live)
	require.NotEqual(t, log.Source == "", log.Reason == "", "one of the two")
	for _, line := range log.Lines {
		require.NotContains(t, strings.ToLower(line), "command line:")
	}
}

func TestLoggedTSCHz(t *testing.T) {
	for line, want := range map[string]float64{
		"tsc: Detected 2596.144 MHz TSC": 2596144000, "tsc: Refined TSC clocksource calibration: 2593.905 MHz.": 2593905000,
		"tsc: Detected many MHz processor": 0, "tsc: Detected 0.000 MHz processor": 0, "tsc: Detected 9999999999.0 MHz TSC": 0,
		"tsc: Detected 9999999999.000 MHz processor": 0,
	} {
		require.Equal(t, want, loggedTSCHz(kernellog.Parse([]string{line})), line)
	}
}
