package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestConcernsClocks(t *testing.T) {
	for _, text := range []string{
		"clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:",
		"clocksource:                       'hpet' wd_nsec: 511946381 wd_now: 57530b1d wd_last: 56e31eec mask: ffffffff",
		"tsc: Marking TSC unstable due to clocksource watchdog", "tsc: Detected 2596.144 MHz processor",
		"TSC found unstable after boot, most likely due to broken BIOS. Use 'tsc=unstable'.",
		"[Firmware Bug]: TSC doesn't count with P0 frequency!", "[Firmware Bug]: TSC ADJUST differs: CPU0 0 --> -123. Restoring",
		"[Firmware Bug]: TSC_DEADLINE disabled due to Errata; please update microcode to version: 0x22 (or later)",
		"Measured 482 cycles TSC warp between CPUs, turning off TSC clock.",
		"kvm: SMP vm created on host with unstable TSC; guest TSC will not be reliable",
		"hpet0: at MMIO 0xfed00000, IRQs 2, 8, 0", "ACPI: HPET id: 0x8086a201 base: 0xfed00000", "hpet clockevent registered",
		"kvm-clock: Using msrs 4b564d01 and 4b564d00", "pvclock: x", "Hyper-V: LAPIC Timer Frequency: 0xc3500", "hyperv_clocksource: timer",
		"sched_clock: Marking unstable (1, 2)<-(3, 4)", "ACPI: PM-Timer IO Port: 0x608", "acpi_pm: x",
		"arch_timer: cp15 timer(s) running at 62.50MHz (virt).", "Architected cp15 timer(s) running at 24.00MHz (virt).",
		"Hypervisor detected: KVM", "Xen version: 4.11.amazon (preserve-AD)", "Xen version 4.11.",
		"timekeeping: Marking clocksource", "rtc_cmos 00:05: RTC can wake from S4", "rtc-pl031 9010000.pl031: registered as rtc0",
		"PM: RTC time: 12:34:56, date: 2024-12-03", "vmware: using clock offset of 7218443011 ns",
	} {
		require.True(t, concernsClocks(text), text)
	}
	for _, text := range []string{
		"", "Out of memory: Killed process 4711 (tsc) total-vm:9441204kB", "audit: comm=\"tsc\" exe=\"/usr/bin/node\"", "clk: Disabling unused clocks",
		"[Firmware Bug]: the BIOS has corrupted hw-PMU resources", "NET: Registered PF_INET protocol family", "hv_vmbus: registering driver hv_utils",
		"usb 1-1: Product: artrtc", "PTP clock support registered", "etsc: x",
	} {
		require.False(t, concernsClocks(text), text)
	}
}

func TestClockLines(t *testing.T) {
	require.Nil(t, clockLines(nil))
	require.Equal(t, []string{"[    0.100000] tsc: a�[2Jb c\\x0ad"}, clockLines([]message{
		{"[    0.000000] ", "Command line: tsc=unstable clocksource=hpet password=x"},
		{"", "Kernel command line: tsc: password=x"},
		{"", `Unknown kernel command line parameters "hpet password=x", will be passed to user space.`},
		{"[    0.200000] ", "    hpet=password"},
		{"[    0.100000] ", "tsc: a\x1b[2Jb\tc\\x0ad  "},
	}))
	long := clockLines([]message{{"[    0.100000] ", "tsc: " + strings.Repeat("ü", 1000)}})[0]
	require.Len(t, []rune(long), maxLogLine)
	require.True(t, strings.HasSuffix(long, "ü…"))
	full := "tsc: " + strings.Repeat("ü", maxLogLine-5)
	require.Equal(t, []string{full}, clockLines([]message{{"", full}}))
}

func TestFirstAndLast(t *testing.T) {
	var lines []string
	for i := range 81 {
		lines = append(lines, strconv.Itoa(i))
	}
	require.Equal(t, lines[:80], firstAndLast(lines[:80], 80))
	some := firstAndLast(lines, 80)
	require.Len(t, some, 80)
	require.Equal(t, []string{"0", "39", "41", "80"}, []string{some[0], some[39], some[40], some[79]})
	require.Equal(t, "40", lines[40], "the lines stay as they are")
}

func TestKernelLogBounds(t *testing.T) {
	root := t.TempDir()
	writeFile(t, root, "var/log/kern.log", []byte("[    0.000000] tsc: Detected 2000.000 MHz processor\n"+
		strings.Repeat("[    5.000000] hpet: x\n", 60)+"[    6.000000] tsc: Refined TSC clocksource calibration: 2100.000 MHz\n"+
		strings.Repeat("[    7.000000] hpet: y\n", 60)))
	facts := At(root)
	require.Len(t, facts.KernelLog.Lines, maxLogLines)
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
	require.Equal(t, []string{"tsc: new"}, log.Lines)
	require.NoError(t, os.Remove(filepath.Join(root, "var/log/syslog")))
	require.Contains(t, At(root).KernelLog.Reason, "/var/log/dmesg: last written before this boot, at 2024-12-03 08:00:00")
}

// TestLogOfThisMachine reads what this machine lets it read.
func TestLogOfThisMachine(t *testing.T) {
	log, lines, _ := kernelLog(live)
	require.NotEqual(t, log.Source == "", log.Reason == "", "one of the two")
	require.LessOrEqual(t, len(log.Lines), len(lines))
	for _, line := range lines {
		require.NotContains(t, strings.ToLower(line), "command line:")
	}
	kmsg, whole, err := readKmsg()
	buffer, wholeBuffer, bufferErr := readSyslog()
	if err == nil && bufferErr == nil && whole && wholeBuffer && len(kmsg) > 0 {
		require.Equal(t, kmsg[0].text, buffer[0].text, "two ways to one log")
	}
}
