package attachment

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/text/encoding/unicode"
)

const marked = "clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:"

// boot is a log of a kernel that rejected the TSC.
const boot = `[    0.000000] Linux version 6.1.0-28-amd64 (build@host)
[    0.000000] Command line: BOOT_IMAGE=/vmlinuz secret=1 clocksource=tsc
[    0.000000] Hypervisor detected: KVM
[    0.200000] clocksource: Switched to clocksource tsc-early
[  100.000000] ` + marked + `
[  100.000001] clocksource: Switched to clocksource hpet
`

// healthy is its beginning.
var healthy, _, _ = strings.Cut(boot, "[  100")

func read(t *testing.T, content string) *result.Document {
	t.Helper()
	d, err := Read("log.txt", strings.NewReader(content))
	require.NoError(t, err)
	return d
}

func TestLogAlone(t *testing.T) {
	d := read(t, boot)
	require.Equal(t, "6.1.0-28-amd64", d.Host.Kernel)
	require.Equal(t, []string{"clocksource=tsc"}, d.Host.BootParameters, "no parameter that does not concern clocks")
	require.Equal(t, &result.Virtualization{System: "kvm", Role: "guest"}, d.Host.Virtualization)
	require.Equal(t, "hpet", d.Host.ClockSource.Current)
	require.Equal(t, "log.txt", d.Host.KernelLog.Source)
	require.False(t, d.Host.KernelLog.Truncated)
	require.Contains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), marked)
	require.Zero(t, d.Host.CPU.Logical, "a log does not show the CPUs")
}

// A log may lack the beginning of the boot, and be one of journald's JSON. kernellog.TestSplit has every stamp.
func TestFormsOfLogs(t *testing.T) {
	for text, line := range map[string]string{
		marked + "\r\n": marked,
		fmt.Sprintf(`{"__REALTIME_TIMESTAMP":"1726038186000000","_TRANSPORT":"kernel","MESSAGE":%q}`, marked) + "\n": "2024-09-11T07:03:06Z " + marked,
	} {
		d := read(t, text)
		require.Equal(t, []string{line}, d.Host.KernelLog.Lines)
		require.True(t, d.Host.KernelLog.Truncated)
	}
}

// Anybody may have written a line without the kernel's name behind a host, as in a chat.
func TestLogWithoutTheKernelsName(t *testing.T) {
	for _, from := range []string{"web1 ", "web1 tsc[7]: "} {
		_, err := Read("x", strings.NewReader("Sep 11 07:03:06 "+from+marked+"\n"))
		require.ErrorIs(t, err, ErrUnknown, from)
	}
}

// Of a table of ntpq the rows count too, and a line in code marks of Markdown without its text.
func TestPastesFromPages(t *testing.T) {
	d := read(t, "$ ntpq -p\n     remote           refid      st t when poll reach   delay   offset  jitter\n====\n LOCAL(0)        .LOCL.          10 l   5d   64    0    0.000    0.000   0.000\n"+
		"+192.0.2.1 192.0.2.9    2 u  646 1024  377    5.709  -27.140  41.061\n*192.0.2.2 192.0.2.8    2 u  596 1024  377   18.190  -26.064  40.024\n")
	require.Equal(t, "ntpq: *192.0.2.2 192.0.2.8 2 u 596 1024 377 18.190 -26.064 40.024", strings.Join(strings.Fields(d.Host.KernelLog.Lines[3]), " "))
	require.Equal(t, []string{"[    5.123462] " + marked}, read(t, "`[    5.123462] "+marked+"`\n").Host.KernelLog.Lines)
	d = read(t, "command response:      remote           refid      st t when poll reach   delay   offset  jitter\n====\n"+
		"stdout | *192.0.2.2 192.0.2.8    2 u  596 1024  377   18.190  -26.064  40.024\n")
	require.Equal(t, "ntpq: *192.0.2.2 192.0.2.8 2 u 596 1024 377 18.190 -26.064 40.024", d.Host.KernelLog.Lines[1], "behind what another tool prints")
	_, err := Read("x", strings.NewReader("`[    5.123462] "+marked+"` means that the TSC is bad.\n"))
	require.ErrorIs(t, err, ErrUnknown)
}

// A real-time clock in local time makes the first synchronisation set the clock back by hours. Dates go back for other
// reasons too.
func TestDatesThatGoBackByHours(t *testing.T) {
	jumps := func(text string) bool {
		return strings.Contains(strings.Join(read(t, healthy+text).Host.KernelLog.Lines, "\n"), "dates of the lines ")
	}
	const before = "Feb 15 19:34:12 h kernel: [   27.268921] rfkill: input handler disabled\n"
	require.True(t, jumps(before+"Feb 15 11:35:08 h kernel: [   83.768646] igc 0000:01:00.0 enp1s0: NIC Link is Down\n"))
	require.True(t, jumps(before+"Feb 15 18:34:12 h systemd-timesyncd[7]: Initial synchronization to time server 192.0.2.1:123.\n"))
	for _, next := range []string{
		"Feb 15 11:42:08 h kernel: [   83.768646] no whole hours\n", "Feb 15 11:35:08 h kernel: [   13.768646] the next boot\n",
		"Feb 15 18:34:12 h cron[7]: another file\n", "Feb 14 19:34:12 h kernel: [   27.9] another day\n",
	} {
		require.False(t, jumps(before+next), next)
	}
	require.False(t, jumps("2026-06-12T15:00:00.1+00:00 h kernel: [   60.0] a\n2026-06-12T10:00:10.1-05:00 h kernel: [   70.0] another zone\n"))
	require.False(t, jumps("Oct 27 02:59:59 h kernel: [   27.268921] a\nOct 27 02:00:01 h kernel: [   29.2] the end of summer time\n"))
}

// In the log of several machines, steps count for the machine that logged them.
func TestStepsOfSeveralMachines(t *testing.T) {
	var log strings.Builder
	for i := range 5 {
		fmt.Fprintf(&log, "Feb 15 19:3%d:12 host%d ntpd[7]: time reset +2.5 s\n", i, i)
	}
	text := log.String()
	require.Len(t, read(t, text).Host.KernelLog.Lines, 1)
	require.Len(t, read(t, regexp.MustCompile(`host\d`).ReplaceAllString(text, "host")).Host.KernelLog.Lines, 2, "folded")
}

// The output of one machine does not hide the output of another.
func TestOutputsOfSeveralMachines(t *testing.T) {
	const off, on = "System time     : 3601.123456789 seconds slow of NTP time", "System time     : 0.000012345 seconds fast of NTP time"
	d := read(t, "me@web1:~$ chronyc tracking\n"+off+"\nme@web2:~$ chronyc tracking\n"+on+"\n")
	require.Equal(t, []string{off, "(the next lines are of another machine: web2)", on}, d.Host.KernelLog.Lines)
	d = read(t, "me@web1:~$ chronyc tracking\n"+off+"\nroot@web1:/# chronyc tracking\n"+on+"\n")
	require.Equal(t, []string{on}, d.Host.KernelLog.Lines)
	d = read(t, "me@web1:~$ ssh web2\nme@web2:~$ chronyc tracking\n"+on+"\n")
	require.Equal(t, []string{on}, d.Host.KernelLog.Lines, "the first machine printed nothing about clocks")
}

// Of several outputs of a command the last shows what is so now.
func TestLastOutputCounts(t *testing.T) {
	const header = "MS Name/IP address         Stratum Poll Reach LastRx Last sample\n"
	const on = "^* 192.0.2.62  2   6   377    33   +104us[ +149us] +/-   24ms\n"
	const off = "^? 192.0.2.62  2   6     0    33   +104us[ +149us] +/-   24ms\n"
	rows := func(text string) []string { return read(t, text).Host.KernelLog.Lines[1:] }
	require.Equal(t, []string{strings.TrimSpace(off)}, rows(header + on + "later\n" + strings.Replace(header, "  S", " S", 1) + off)[1:])
	require.Equal(t, []string{strings.TrimSpace(off)}, read(t, on+"the same without the head:\n"+off).Host.KernelLog.Lines)
	require.Equal(t, []string{"Leap status     : Normal"}, rows("Root dispersion : 19.0 seconds\nLeap status     : Not synchronised\nLeap status     : Normal\n"))
}

// A time of hwclock far below a time of date is of another time.
func TestTimesOfTwoCommands(t *testing.T) {
	const clock, rtc = "$ date\nMon Apr 24 09:54:19 CEST 2023\n", "$ sudo hwclock\n2023-04-25 09:56:22.123456+02:00\n"
	far := func(text string) bool {
		d := read(t, text)
		return slices.ContainsFunc(kernellog.Explain(kernellog.Parse(d.Host.KernelLog.Lines), kernellog.Machine{}), func(c kernellog.Cause) bool {
			return c.Kind == "rtc-differs" || c.Kind == "rtc-off-by-zone"
		})
	}
	require.True(t, far(clock+rtc))
	require.True(t, far(rtc+clock))
	require.False(t, far(clock+strings.Repeat("the next day\n", 12)+rtc))
	_, err := Read("x", strings.NewReader(clock))
	require.ErrorIs(t, err, ErrUnknown, "one time shows nothing")
}

// A pasted command shows the clock source in use, before or after the log of the boot.
func TestPastedClockSource(t *testing.T) {
	const path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
	for _, pasted := range []string{"$ cat " + path + "\nacpi_pm\n", path + ":acpi_pm\n"} {
		require.Equal(t, "acpi_pm", read(t, pasted+"$ dmesg\n"+boot).Host.ClockSource.Current, pasted)
		require.Equal(t, "acpi_pm", read(t, boot+pasted).Host.ClockSource.Current, pasted)
	}
	for _, pasted := range []string{"$ cat " + path + "\ncat: " + path + ": No such file\n", "$ echo tsc | sudo tee " + path + "\ntsc\n"} {
		require.Equal(t, "hpet", read(t, boot+pasted).Host.ClockSource.Current, pasted)
	}
	for pasted, want := range map[string][2]string{
		"$ cat " + strings.Replace(path, "current", "available", 1) + "\nhpet acpi_pm \n":                 {"hpet", "hpet acpi_pm"},
		"# cat /sys/devices/system/clocksource/clocksource0/*_clocksource\n\ntsc hpet acpi_pm\nacpi_pm\n": {"acpi_pm", "tsc hpet acpi_pm"},
		"==> " + path + " <==\nxen\n":                                                        {"xen", ""},
		"current_clocksource = hpet\navailable_clocksource = tsc hpet\n":                     {"hpet", "tsc hpet"},
		"cd " + filepath.Dir(path) + "; cat {current,available}_clocksource\nxen\nxen tsc\n": {"xen", "xen tsc"},
	} {
		source := read(t, pasted).Host.ClockSource
		require.Equal(t, want, [2]string{source.Current, strings.Join(source.Available, " ")}, pasted)
	}
	const fault = "tsc: Marking TSC unstable due to clocksource watchdog"
	for _, command := range []string{"cat " + path, "Sep 11 07:03:06 host sudo[9]: root : COMMAND=/usr/bin/cat " + path} {
		for _, next := range []string{fault, "Sep 11 07:03:07 host kernel: " + fault} {
			lines := read(t, healthy+command+"\n"+next+"\n").Host.KernelLog.Lines
			require.Contains(t, strings.Join(lines, "\n"), fault, "it is no clock source")
		}
	}
}

// A log is read the same without its line ends, in colours, or as JSON.
func TestTheSameLogInOtherForms(t *testing.T) {
	// A line longer than one read.
	long := boot + strings.Repeat("[  101.000000] usb 1-1: new high-speed USB device number 1 using xhci_hcd\n", 2000) +
		"[  102.000000] tsc: Marking TSC unstable due to clocksource watchdog\n"
	want := read(t, long).Host
	require.Len(t, want.KernelLog.Lines, 5)
	lines := strings.Split(strings.TrimSuffix(long, "\n"), "\n")
	records := make([]string, len(lines))
	for i, line := range lines {
		stamp, text, _ := strings.Cut(line[1:], "] ")
		records[i] = fmt.Sprintf("{\n\"pri\": 6,\n\"time\": %s,\n\"msg\": %q\n}", stamp, text)
	}
	asJSON := "{\n\"dmesg\": [\n" + strings.Join(records, ",") + "\n]\n}\n"
	for name, text := range map[string]string{
		"carriage returns": strings.Join(lines, "\r"), "both": strings.Join(lines, "\r\n"), "spaces": strings.Join(lines, " "), "escaped": strings.Join(lines, `\n`) + `\n`,
		"dmesg --color": regexp.MustCompile(`(?m)^(\[.*?\] )(.*)$`).ReplaceAllString(long, "\x1b[32m$1\x1b[0m\x1b[1m$2\x1b[0m"),
		"dmesg --json":  asJSON, "dmesg --json, in one line": strings.ReplaceAll(asJSON, "\n", ""),
		"dmesg --json --decode": strings.ReplaceAll(asJSON, `"pri": 6`, `"fac": "kern", "pri": "info"`),
	} {
		require.Equal(t, want, read(t, text).Host, name)
		require.False(t, IsDocument([]byte(text)), name)
	}
	for name, each := range map[string]string{"quoted": "> $0", "indented": "    $0", "grep -H": "/var/log/kern.log:$0", "a relay": "10.0.0.1 $0"} {
		require.Equal(t, want, read(t, regexp.MustCompile(`(?m)^\[.*$`).ReplaceAllString(long, each)).Host, name)
	}
	wrapped := regexp.MustCompile(`(?m)^(.{40,60}) (.*)$`).ReplaceAllString(boot, "$1\n$2")
	require.Equal(t, read(t, boot).Host.KernelLog, read(t, wrapped).Host.KernelLog)
	both := read(t, asJSON+"$ dmesg\n"+long).Host.KernelLog
	require.Equal(t, want.KernelLog.Lines, both.Lines)
	require.Equal(t, 2, both.Boots, "what follows is read too")
	for at := range 20 { // wherever a read ends
		text := "[    0.000000] " + strings.Repeat("x", maxRead-30-at) + "\r" + strings.Join(lines, "\r")
		require.Equal(t, want.KernelLog.Lines, read(t, text).Host.KernelLog.Lines, at)
	}
	for why, text := range map[string]string{
		"is cut off": asJSON[:strings.LastIndex(asJSON, "}\n]")+1], "cannot be read as": strings.Replace(asJSON, `"pri": 6,`, `"pri": ,`, 1),
		`"msg" is a number`: strings.Replace(asJSON, `"msg": "`, `"msg": 1, "x": "`, 1),
		"EOF":               strings.Replace(asJSON, `"msg": "`, `"msg": "`+strings.Repeat("x", 2*maxRecord), 1),
	} {
		_, err := Read("x", strings.NewReader(text))
		require.ErrorContains(t, err, why)
	}
	_, err := Read("x", strings.NewReader(strings.ReplaceAll(asJSON, `"pri": 6`, `"pri": 30`)))
	require.ErrorIs(t, err, ErrUnknown, "programs wrote it")
}

// After a power cut, a log has zeros where lines were to follow; a serial console may begin with some.
func TestLogWithZeros(t *testing.T) {
	want := read(t, healthy+boot).Host
	for _, zeros := range []int{1, 2192, 3 * maxRead} {
		block := strings.Repeat("\x00", zeros)
		require.Equal(t, want, read(t, healthy+block+boot).Host, zeros)
		if zeros == 1 {
			require.Equal(t, want, read(t, block+healthy+boot).Host, zeros)
		}
	}
}

// A mail as quoted-printable has at most 76 characters in a line, also of a quotation.
func TestLogInQuotedPrintable(t *testing.T) {
	for _, quote := range []string{"", "> > "} {
		for _, line := range strings.Split(strings.TrimSuffix(boot, "\n"), "\n") {
			line = quote + "[    0.000000] clocksource: x\n" + quote + strings.ReplaceAll(line, "=", "=3D")
			first := strings.Index(line, "\n") + 1
			if len(line)-first <= 75 {
				continue
			}
			at := first + 75
			require.Equal(t, read(t, line).Host, read(t, line[:at]+"=\n"+quote+line[at:]).Host, line)
		}
	}
	for _, end := range []string{"=0A\n", "=0A=\n"} {
		require.Equal(t, read(t, boot).Host, read(t, strings.ReplaceAll(boot, "\n", end)).Host, end)
	}
	base64 := strings.Repeat("x", 75) + "=\n"
	require.Equal(t, read(t, boot).Host, read(t, base64+boot).Host)
}

// A carriage return in the line of a program begins no line of the kernel.
func TestCarriageReturnsOfPrograms(t *testing.T) {
	const says, kernel = "Dec  3 09:00:12 db1 app[7]: a\r", "Dec  3 09:00:12 db1 kernel: "
	want := read(t, kernel+"clocksource: Switched to clocksource tsc\n").Host
	for _, ahead := range []string{"", kernel + "Console: x\n", "\r" + kernel + "Console: x\r\n"} {
		require.Equal(t, want, read(t, ahead+says+kernel+marked+"\n"+kernel+"clocksource: Switched to clocksource tsc\r\n").Host)
	}
}

// Windows PowerShell redirects with UTF-16.
func TestLogInUTF16(t *testing.T) {
	text, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(boot)
	require.NoError(t, err)
	require.Equal(t, read(t, boot).Host, read(t, text).Host)
}

// A refusal says what the text has, and what to give instead.
func TestRefusals(t *testing.T) {
	for text, why := range map[string]string{
		"a\nb\n":                                 "2 lines, and none is a message about clocks that timebench knows; give the whole log",
		"My sleep\nuses the hpet clock.\nWhy?\n": `1 of 3 lines mentions clocks, first "uses the hpet clock.", but none is a message`,
	} {
		_, err := Read("x", strings.NewReader(text))
		require.ErrorIs(t, err, ErrUnknown)
		require.ErrorContains(t, err, why)
	}
	for text, why := range map[string]string{
		"[    3.171853] usb 1-1: new high-speed USB device number 2 using xhci_hcd\n[    3.321022] e1000e: eth0 NIC Link is Up\n": "looks like a kernel log: 2 lines, and none is a message about clocks",
		"Nov  3 10:00:00 h kernel: EXT4-fs (sda1): mount time is in the future\n":                                                 "looks like a kernel log: 1 of 1 line mentions clocks",
	} {
		_, err := Read("x", strings.NewReader(text))
		require.NotErrorIs(t, err, ErrUnknown)
		require.ErrorContains(t, err, why)
	}
}

// A line of a program that is unknown may hold a secret: no document has it.
func TestUnknownLinesOfProgramsAreNotKept(t *testing.T) {
	for _, line := range []string{
		"chronyd[7]: Frequency 1.2 +/- 0.1 ppm read from /var/lib/chrony/drift", "systemd[1]: Failed to start Daily apt timer.",
		"dovecot: master: Warning: Time of alice changed by 4.5 seconds.", "auth: user=alice token=s3cret clock skew 0 s",
		"sshd[1010]: Accepted publickey for drift from 192.0.2.1", "sudo[1207]: bob : COMMAND=/usr/bin/logger clock skew",
	} {
		line = "Jun  1 01:02:03 h " + line + "\n"
		_, err := Read("x", strings.NewReader(line))
		require.ErrorIs(t, err, ErrUnknown, line)
		kernel := "Jun  1 01:02:03 h kernel: clocksource: Switched to clocksource tsc"
		require.Len(t, read(t, kernel+"\n"+line).Host.KernelLog.Lines, 1, line)
	}
}

// The level of a line, or the stamp of a console, shows that it is of a log.
func TestLevelsAndConsoleStamps(t *testing.T) {
	text := "<6>clocksource: timebase mult[7d0000] shift[22] registered\n<7>time_init: decrementer frequency = 512.000000 MHz\n"
	require.Len(t, read(t, text).Host.KernelLog.Lines, 1, "a level, and no stamp")
	require.Len(t, read(t, "[2012-03-20 00:46:33]\tclocksource: timebase mult[1f40000] shift[24] registered\n").Host.KernelLog.Lines, 1)
}

// A log of another system is refused with its name.
func TestLogsOfOtherSystems(t *testing.T) {
	for text, system := range map[string]string{
		`Timecounter "ACPI-fast" frequency 3579545 Hz quality 900`: "FreeBSD", "Dec  3 09:00:12 host kernel: Timecounters tick every 10.000 msec": "FreeBSD",
		`[     1.0] timecounter: Timecounter "TSC" frequency 2593983120 Hz quality 3000`: "NetBSD", `[     1.0] timecounter: Timecounter "TSC" frequency 1 Hz quality 3` + "\n[     1.0] boot: 199ms (entry tsc: 281364007)": "NetBSD", "OpenBSD 7.4 (GENERIC.MP) #1397": "OpenBSD",
		"kern.timecounter.choice: ACPI-fast(900) TSC-low(1000)": "FreeBSD", "kern.timecounter.hardware: acpitimer0 -> tsc": "OpenBSD", "kern.timecounter.choice=i8254(0) acpitimer0(1000)": "OpenBSD", "kern.timecounter.tick: 1": "a BSD", "kern.cputimer.select: TSC": "DragonFly BSD", "acpihpet0 at acpi0: 14318179 Hz": "OpenBSD",
		"Dec  3 09:00:12 host unix: [ID 540533 kern.notice] SunOS Release 5.11 Version illumos-1": "illumos or Solaris",
		"Dec  3 09:00:12 host kernel[0]: Darwin Kernel Version 20.6.0":                            "macOS",
	} {
		_, err := Read("x", strings.NewReader("cpu0: x\n"+text+"\n"))
		require.ErrorContains(t, err, "is a log of "+system+"; give a log of Linux", text)
	}
	for text, shows := range map[string]string{
		"RTC BIOS diagnostic error 80<clock_battery>": "firmware doubts the battery", "RTC BIOS diagnostic error 77<ROM_cksum,config_unit,memory_size,invalid_time>": "firmware found no valid time",
		"cpu1: disabling user TSC (skew=-2146)": "TSCs of the CPUs differ", "WARNING: clock lost 8593 days, using FS time -- CHECK AND RESET THE DATE!": "real-time clock had no valid time",
		"TSC skew=-7752893858": "TSCs of the CPUs differ", "calcru: runtime went backwards from 9 usec to 8 usec for pid 1 (init)": "time of a process ran backwards",
	} {
		_, err := Read("x", strings.NewReader("OpenBSD 6.6 (GENERIC.MP) #371\ntsc_timecounter_init: TSC skew=-416 observed drift=0\n"+text+"\n"))
		require.ErrorContains(t, err, "is a log of OpenBSD, which shows that the "+shows)
	}
	for text, shows := range map[string][]string{
		"Nov  3 10:00:00 fb kernel: x\nNov  3 10:00:00 fb kernel: calcru: runtime went backwards from 13835 usec to 9692 usec for pid 456 (dhclient)": {"the time of a process ran backwards"},
		"\tt_delta 16.0109662fcd2712a0 too long\n\tt_delta 15.f58306afb53419a0 too short":                                                             {"16 s of timer ticks are not"},
		"kern.timecounter.choice: i8254(0) ACPI-fast(900) TSC-low(-100) dummy(-1000000)\nkern.timecounter.hardware: ACPI-fast":                        {"does not trust the TSC", ", and that its timecounter takes 1 µs"},
	} {
		_, err := Read("x", strings.NewReader(text+"\n"))
		for _, part := range append(shows, "is a log of FreeBSD, which shows that ") {
			require.ErrorContains(t, err, part)
		}
	}
	require.Equal(t, read(t, boot).Host, read(t, boot+"OpenBSD 7.4\n").Host)
}

func TestLogShowsTheCPU(t *testing.T) {
	d := read(t, boot+"[    0.1] smpboot: CPU0: AMD EPYC 7763 (family: 0x19, model: 0x1, stepping: 0x1)\n")
	require.Equal(t, "amd64", d.Host.Arch)
	require.Equal(t, "AMD EPYC 7763", d.Host.CPU.Model)
}

// A possible document of timebench is left to its reader.
func TestIsDocument(t *testing.T) {
	for text, want := range map[string]bool{
		"<pre>[    0.1] tsc: x": false, "<code>tsc: x": false, "<pre class=x>": true,
		`{"schema": "timebench/1"}`: true, "\ufeff \n{\n  \"schema\"": true, "<!DOCTYPE html>": true, "PK\x03\x04": true, "\xff\xfe{\x00": true,
		"": false, boot: false, "<6>[    1.0] tsc: x": false, "<30>x": false, `{"_TRANSPORT":"kernel","MESSAGE":"x"}`: false, `{"@timestamp":"x","message":"tsc: x","host":{}}` + "\n": false, `{"labels":{},"line":"tsc: x"}`: false, `{"schema":"timebench/1","note":{"message":"x"}}`: true, "\x1f\x8b": false,
		"{[    0.000000] Linux version 3.4.0\n": false, "{\n 1}": false,
		`{"schema":"ecs/1","message":"tsc: x"}` + "\n": false,
		`{"SYSLOG_IDENTIFIER" : "kernel"}` + "\n{}":    false, "{\n\t\"__CURSOR\" : \"s=1\",": false, "\xff\xfe[\x00": false,
	} {
		require.Equal(t, want, IsDocument([]byte(text)), text)
	}
}

func reversed(log string) string {
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	slices.Reverse(lines)
	return strings.Join(lines, "\n") + "\n"
}

func TestLastBootCounts(t *testing.T) {
	later := strings.ReplaceAll(healthy, "6.1.0-28", "6.1.0-29")
	for _, log := range []string{boot + later, reversed(boot + later), boot + boot + later, reversed(boot + boot + later)} {
		d := read(t, log)
		require.Equal(t, "6.1.0-29-amd64", d.Host.Kernel)
		require.NotContains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), "Marking")
		require.Equal(t, strings.Count(log, "Linux version"), d.Host.KernelLog.Boots)
		require.False(t, d.Host.KernelLog.Mixed)
	}
	_, rest, _ := strings.Cut(boot, "\n") // without the line that begins the boot
	d := read(t, rest+later)
	require.Equal(t, "6.1.0-29-amd64", d.Host.Kernel)
	require.Equal(t, 2, d.Host.KernelLog.Boots)
	require.NotContains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), "Marking")
	stamp := regexp.MustCompile(`(?m)^\[.*?\] `)
	for log, boots := range map[string]int{
		rest: 0, stamp.ReplaceAllString(boot, ""): 0, stamp.ReplaceAllString(boot+later, ""): 2,
		boot + "[   99.000000] tsc: out of order\n": 0,
	} {
		d := read(t, log)
		require.Contains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), marked, "nothing separates it from the last boot")
		require.Equal(t, boots, d.Host.KernelLog.Boots, log)
		require.Equal(t, boots > 1, d.Host.KernelLog.Mixed, log)
	}
}

// A fault is not lost in a log with the newest line first, or with a line of a program that looks like the first one of
// a boot.
func TestNoLineOfTheLastBootIsDropped(t *testing.T) {
	want := read(t, boot)
	const program = "Sep 11 07:03:06 host kernel: Linux version 9\n"
	for name, log := range map[string]string{
		"newest first": reversed(boot), "a program's line": boot + program, "before": program + boot, "later": boot + "[  200.0] Linux version 9\n",
		"two stamps":    boot + "[  200.0] [    0.000000] Linux version 9\n",
		"a file's name": boot + "[  200.000000] process '/x [    0.000000] Linux version 9' started with executable stack\n",
	} {
		require.Equal(t, want.Host, read(t, log).Host, name)
	}
	dated := regexp.MustCompile(`(?m)^\[ *(\d+)\.(\d)\d*\]`).ReplaceAllString(boot, "Sep 11 07:$1:0$2 host kernel:")
	dated = strings.ReplaceAll(strings.ReplaceAll(dated, ":0:", ":00:"), ":100:", ":59:")
	iso := regexp.MustCompile(`Sep 11 (\S+)`).ReplaceAllString(dated, "2024-09-11T${1}Z")
	for name, log := range map[string]string{
		"dates": dated, "newest first": reversed(dated), "ISO dates": iso, "ISO dates, newest first": reversed(iso),
		"a program's stamp": dated + "Sep 11 08:03:06 host kernel: [    0.0] Linux version 9\n",
	} {
		d := read(t, log)
		require.Equal(t, "hpet", d.Host.ClockSource.Current, name)
		require.Equal(t, want.Host.Kernel, d.Host.Kernel, name)
		require.False(t, d.Host.KernelLog.Truncated, name)
		require.Zero(t, d.Host.KernelLog.Boots, name)
	}
	good, _, _ := strings.Cut(dated, "Sep 11 07:59")
	next := strings.NewReplacer("Sep 11", "Sep 12", "6.1.0-28", "6.1.0-29").Replace(good)
	later := read(t, dated+next)
	require.Equal(t, "6.1.0-29-amd64", later.Host.Kernel, "journalctl of two boots")
	require.NotContains(t, strings.Join(later.Host.KernelLog.Lines, "\n"), marked)
	require.False(t, later.Host.KernelLog.Mixed)
	const logger = "Sep 11 08:03:06 host kernel: Linux version 6.1.0 is a nice kernel\n"
	require.Contains(t, strings.Join(read(t, dated+logger).Host.KernelLog.Lines, "\n"), marked, "logger -t kernel")
	d := read(t, dated+program)
	require.Contains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), marked)
	require.Equal(t, 2, d.Host.KernelLog.Boots)
	require.True(t, d.Host.KernelLog.Mixed)
}

// archived returns an archive of files, by pairs of a path and a content, and of other entries.
func archived(t testing.TB, others []tar.Header, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range others {
		require.NoError(t, w.WriteHeader(&h))
	}
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: files[i], Mode: 0o600, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}))
		_, err := io.WriteString(w, files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

var sosreport = []string{
	"sosreport-x/proc/cmdline", "BOOT_IMAGE=/vmlinuz clocksource=hpet\n", "sosreport-x/sos_commands/kernel/dmesg", boot,
	"sosreport-x/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "sosreport-x/sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm \n",
}

func requireSosreport(t *testing.T, d *result.Document, why string) {
	t.Helper()
	require.Equal(t, "sos_commands/kernel/dmesg", d.Host.KernelLog.Source, why)
	require.Contains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), marked, why)
	if runtime.GOOS != "linux" {
		return // the log has the facts there
	}
	require.Equal(t, &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}}, d.Host.ClockSource, why)
	require.Equal(t, []string{"clocksource=hpet"}, d.Host.BootParameters, why)
}

func TestArchives(t *testing.T) {
	plain := archived(t, []tar.Header{
		{Name: "sosreport-x/proc/version", Typeflag: tar.TypeSymlink, Linkname: "/etc/shadow"},
		{Name: "sosreport-x/proc/cpuinfo", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"},
		{Name: "sosreport-x/proc/sys/kernel/arch", Typeflag: tar.TypeFifo},
	}, append([]string{"../../proc/cpuinfo", "outside", "/proc/cpuinfo", "outside"}, sosreport...)...)
	var zipped, zstandard bytes.Buffer
	g := gzip.NewWriter(&zipped)
	z, err := zstd.NewWriter(&zstandard)
	require.NoError(t, err)
	for _, w := range []io.WriteCloser{g, z} {
		_, err := w.Write(plain)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	for name, content := range map[string][]byte{"tar": plain, "tar.gz": zipped.Bytes(), "tar.zst": zstandard.Bytes()} {
		d, err := Read("a."+name, bytes.NewReader(content))
		require.NoError(t, err, name)
		requireSosreport(t, d, name)
		require.Zero(t, d.Host.CPU.Logical, "neither links nor paths that lead out are followed")
	}
	for _, name := range []string{"sosreport.tar.xz", "sosreport.tar.bz2"} {
		packed, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		d, err := Read(name, bytes.NewReader(packed))
		require.NoError(t, err)
		require.Contains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), "acpi_pm")
	}
}

// Read skips impossible names and a flood of deep folders in an archive, and writes nothing to the disk.
func TestHostileNames(t *testing.T) {
	const folder = "x/sys/hypervisor/"
	t.Setenv("TMPDIR", filepath.Join(need.Folder(t), "missing"))
	others := []tar.Header{{Name: folder + strings.Repeat("n", 300), Typeflag: tar.TypeReg}}
	for i := range 100 {
		others = append(others, tar.Header{Name: fmt.Sprint(folder, i, strings.Repeat("/a", 1900)), Typeflag: tar.TypeReg})
	}
	archive := archived(t, others, append([]string{folder + "a", "", folder + "type/b", ""}, sosreport...)...)
	d, err := Read("x", bytes.NewReader(archive))
	require.NoError(t, err)
	requireSosreport(t, d, "names")
	files, err := ofArchive(bufio.NewReader(bytes.NewReader(archive)))
	require.NoError(t, err)
	require.Len(t, files.files, 3)
}

// An archive with one log five hundred times: the first is read.
func TestEachPathIsReadOnce(t *testing.T) {
	c := newCollection()
	require.NoError(t, c.add("var/log/messages", strings.NewReader(healthy)))
	require.NoError(t, c.add("var/log/messages", iotest.ErrReader(errors.New("read again"))))
	require.NoError(t, c.add(uname, strings.NewReader("Linux host 6.1.0")))
	require.NoError(t, c.add(uname, iotest.ErrReader(errors.New("read again"))))
}

// A byte counts when it is unpacked, in whatever file it is, and so does the time.
func TestBudget(t *testing.T) {
	seconds := 0.0
	b := &budget{bytes: 10, until: 10, spent: func() float64 { return seconds }}
	first, err := io.ReadAll(b.over(strings.NewReader("123456")))
	require.NoError(t, err)
	require.Equal(t, "123456", string(first))
	second, err := io.ReadAll(b.over(strings.NewReader("123456")))
	require.EqualError(t, err, "takes more than 1024 MiB to read")
	require.Equal(t, "1234", string(second))
	b.bytes, seconds = 10, 10.1
	_, err = b.over(strings.NewReader("123456")).Read(make([]byte, 1))
	require.EqualError(t, err, "takes more than 30 s of CPU time to read")
	_, err = ofArchive(bufio.NewReader(b.over(bytes.NewReader(archived(t, nil, sosreport...)))))
	require.EqualError(t, err, "takes more than 30 s of CPU time to read; unpack it and give the folder")
}

// The missing part of an archive may be the log, so the rest proves no health.
func TestArchiveThatIsCutOff(t *testing.T) {
	const trailer, padding = 1024, 512
	files := append([]string{"sosreport-x/proc/version", "Linux"}, sosreport...)
	whole := archived(t, nil, files...)
	for _, length := range []int{len(whole) - trailer, 2 * padding, padding + 1, 2*padding - 100, 3*padding + 5, 4 * padding} {
		_, err := Read("x", bytes.NewReader(whole[:length]))
		require.ErrorIs(t, err, errCutOff, length)
	}
	var zipped bytes.Buffer
	g := gzip.NewWriter(&zipped)
	_, err := g.Write(whole)
	require.NoError(t, err)
	require.NoError(t, g.Close())
	_, err = Read("x", bytes.NewReader(zipped.Bytes()[:zipped.Len()-100]))
	require.ErrorIs(t, err, errCutOff)
}

func TestFolders(t *testing.T) {
	folder := need.Folder(t)
	for i := 0; i < len(sosreport); i += 2 {
		at := filepath.Join(folder, filepath.FromSlash(sosreport[i]))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
		require.NoError(t, os.WriteFile(at, []byte(sosreport[i+1]), 0o600))
	}
	secret := filepath.Join(need.Folder(t), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("model name : secret\nprocessor : 0\n"), 0o600))
	require.NoError(t, os.Symlink(secret, filepath.Join(folder, "sosreport-x", "proc", "cpuinfo")))
	for _, name := range []string{folder, filepath.Join(folder, "sosreport-x")} {
		d, err := ReadFolder(name)
		require.NoError(t, err)
		requireSosreport(t, d, name)
		require.NotContains(t, d.Host.CPU.Model, "secret", "a link that leads out is not followed")
	}
}

// A supportconfig has the log and other files among other texts.
func TestSupportconfig(t *testing.T) {
	const file = "#==[ Configuration File ]====#\n# /"
	d, err := Read("scc.tar", bytes.NewReader(archived(t, nil,
		"scc_host/boot.txt", "#==[ Command ]==#\n# /bin/dmesg\n"+boot+file+"proc/cmdline\nquiet tsc=nowatchdog\n\n"+file+"proc/cmdline\ntsc=reliable\n",
		"scc_host/hardware.txt", file+"proc/cpuinfo\nprocessor\t: 0\nmodel name\t: Nameless\nflags\t\t: lm tsc\n\n"+file+"etc/shadow\nroot\n"+file,
	)))
	require.NoError(t, err)
	require.Equal(t, "boot.txt", d.Host.KernelLog.Source)
	if runtime.GOOS == "linux" {
		require.Equal(t, "Nameless", d.Host.CPU.Model)
		require.Equal(t, 1, d.Host.CPU.Logical)
		require.Equal(t, []string{"tsc=nowatchdog"}, d.Host.BootParameters, "the first counts")
	}
	c := newCollection()
	c.addSections("hardware.txt", strings.NewReader(file+"etc/shadow\nroot\n"+file+"../proc/cpuinfo\nx\n"))
	require.Empty(t, c.files)
}

func TestBadAttachments(t *testing.T) {
	var bomb bytes.Buffer
	g, err := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	require.NoError(t, err)
	zeros := make([]byte, 1<<20)
	for range 70 {
		_, err := g.Write(bytes.ReplaceAll(zeros, []byte{0}, []byte{'x'}))
		require.NoError(t, err)
	}
	require.NoError(t, g.Close())
	for name, content := range map[string][]byte{
		"is empty": nil, "neither a timebench document nor a kernel log": []byte("Jan  2 03:04:05 host nginx[1]: the clock is fine\n"),
		"has more than 64 MiB of text": bomb.Bytes(), "has more than 1000000 lines": bytes.Repeat([]byte("\n"), maxLines+1), "gzip: invalid header": []byte("\x1f\x8b\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
		"is cut off": bomb.Bytes()[:100],
	} {
		_, err := Read("x", bytes.NewReader(content))
		require.ErrorContains(t, err, name)
	}
	_, err = Read("x", bytes.NewReader(append([]byte(boot), 0)))
	require.NoError(t, err, "a log may end in the middle of nothing")
	_, err = Read("x", bytes.NewReader([]byte("\x7fELF\x00"+boot)))
	require.ErrorIs(t, err, ErrUnknown)
	_, err = ReadFolder(need.Folder(t))
	require.ErrorIs(t, err, ErrUnknown)
}

// FuzzRead checks that any attachment is refused or read within bounds, and that none of its text can control a
// terminal.
func FuzzRead(f *testing.F) {
	f.Add([]byte(boot))
	f.Add([]byte(reversed(boot)))
	f.Add([]byte(`{"dmesg": [{"pri": 6, "time": 0.1, "msg": "tsc: x"},{"fac": "kern", "pri": "info", "msg": "\u001b[0m"}]}`))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte("\xfd7zXZ\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Add(archived(f, nil, sosreport...))
	f.Add(archived(f, nil, "scc/boot.txt", "#==[ Configuration File ]==#\n# /proc/cmdline\nquiet\n"+boot))
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := Read("x", bytes.NewReader(content))
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(d.Host.KernelLog.Lines), kernellog.MaxLines)
		for _, line := range d.Host.KernelLog.Lines {
			require.NotContains(t, line, "\n")
		}
		facts, err := json.Marshal(d.Host)
		require.NoError(t, err)
		require.NotContains(t, string(facts), `\u001b`)
	})
}

// A page that quotes the kernel is no log.
func TestPagesAreNoLogs(t *testing.T) {
	const root = "../../.."
	pages, err := filepath.Glob(root + "/docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, name := range append(pages, root+"/README.md", root+"/CHANGELOG.md") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		_, err = Read(name, bytes.NewReader(text))
		require.ErrorIs(t, err, ErrUnknown, name)
	}
}

// A file that is too large is left out, and a document without another log names it.
func TestLargeFileInAnArchiveIsLeftOut(t *testing.T) {
	large := []string{"s/sos_commands/kernel/dmesg_-T", strings.Repeat("x", maxText+1)}
	d, err := Read("x", bytes.NewReader(archived(t, nil, append(large, sosreport...)...)))
	require.NoError(t, err)
	require.Equal(t, "sos_commands/kernel/dmesg", d.Host.KernelLog.Source)
	d, err = Read("x", bytes.NewReader(archived(t, nil, append(large, sosreport[:2]...)...)))
	require.NoError(t, err)
	require.Equal(t, "sos_commands/kernel/dmesg_-T: has more than 64 MiB of text", d.Host.KernelLog.Reason)
}

// A sosreport has the log in several files. The log of the boot lacks later messages of the kernel.
func TestBestLogCounts(t *testing.T) {
	_, wrapped, _ := strings.Cut(boot, "\n") // without the line that begins the boot
	const current, ofUnit = "s/sos_commands/kernel/dmesg", "s/sos_commands/logs/journalctl_--no-pager_--boot"
	for _, c := range []struct {
		why, want string
		files     []string
	}{
		{"the log of the boot ends there", current, []string{"s/" + logOfBoot, healthy, current, boot}},
		{"also if it is the only whole one", current, []string{"s/" + logOfBoot, healthy, current, wrapped}},
		{"the journal reaches back to the boot", ofUnit, []string{current, wrapped, ofUnit, boot, "s/" + logOfBoot, healthy}},
		{"of two whole ones the first counts", current, []string{ofUnit, boot, current, boot}},
		{"of two that lost lines too", current, []string{ofUnit, wrapped, current, wrapped}},
		{"it is better than none", "s/" + logOfBoot, []string{"s/" + logOfBoot, boot, "s/var/log/syslog", "other"}},
	} {
		d, err := Read("x", bytes.NewReader(archived(t, nil, c.files...)))
		require.NoError(t, err)
		require.Equal(t, c.want, "s/"+d.Host.KernelLog.Source, c.why)
		require.Contains(t, strings.Join(d.Host.KernelLog.Lines, "\n"), marked, c.why)
	}
}

// Facts are also in files that package host does not read on a machine.
func TestFactsInOtherFiles(t *testing.T) {
	d, err := Read("x", bytes.NewReader(archived(t, nil, append(sosreport[:2:2],
		"s/sos_commands/kernel/uname_-a", "Linux host 6.1.0-28-amd64 #1 SMP x86_64 GNU/Linux\n",
		"s/sys/devices/virtual/dmi/id/sys_vendor", "Maker\n", "s/proc/cmdline", "tsc=reliable\n")...)))
	require.NoError(t, err)
	if runtime.GOOS != "linux" {
		t.Skip("package host reads the files of Linux on Linux only")
	}
	require.Equal(t, "6.1.0-28-amd64", d.Host.Kernel)
	require.Equal(t, "Maker", d.Host.Machine.Vendor)
	require.Equal(t, []string{"clocksource=hpet"}, d.Host.BootParameters, "of two files with one name, the first counts")
}
