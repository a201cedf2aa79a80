package kernellog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text whose line ends were lost has the lines that it had before, whatever joins them.
func TestLines(t *testing.T) {
	for _, stamps := range [][]string{
		{"[    0.000000] ", "[  100.000001] "},
		{"<6>[    0.000000] ", "<4>[  100.000001] "},
		{"[    0.000000][    T0] ", "[  100.000001][   C12] "},
		{"kern  :info  : [    0.000000] ", "kern  :warn  : [  100.000001] "},
		{"[Tue Dec  3 09:00:12 2024] ", "[Tue Dec 13 09:00:12 2024] "},
		{"Dec  3 09:00:12 db1 kernel: ", "Dec 13 09:00:12 db1 kernel: "},
		{"Dec  3 09:00:12 db1 kernel: [    0.000000] ", "Dec 13 09:00:12 db1 kernel: [    1.000000] "},
		{"2024-12-03T09:00:12.500000+00:00 db1 kernel: ", "2024-12-03T09:00:13.500000+00:00 db1 kernel: "},
	} {
		want := []string{stamps[0] + "Linux version 6.1", stamps[1] + "tsc: [Firmware Bug]: x", stamps[1] + "clocksource: 'tsc' y"}
		for _, end := range []string{" ", `\n`, `\r\n`, ""} {
			require.Equal(t, want, Lines(strings.Join(want, end)), "%q", end)
		}
	}
	require.Equal(t, []string{`"body": "`, "[    0.000000] a", "[    0.000001] b"}, Lines(`"body": "\n[    0.000000] a\n[    0.000001] b`))
	require.Equal(t, []string{"dmesg:", "[    0.000000] a", "[    0.000001] b"}, Lines(`dmesg:\n[    0.000000] a [    0.000001] b`))
	require.Equal(t, []string{"tsc: a", "hpet: b"}, Lines(`tsc: a\nhpet: b`))
	require.Equal(t, []string{"[    0.000000] Linux version 6.1"}, Lines("\x1b[32m[    0.000000] \x1b[0m\x1b[33mLinux version\x1b[0m 6.1"))
	for _, line := range []string{
		"", "[    0.000000] [Firmware Bug]: BIOS-e820: [mem 0x0-0x9fbff] usable", `{"MESSAGE":"a\n[    0.000000] b [    0.000000] c"}`,
		`Dec  3 09:00:12 db1 ntpd[3]: x\n[    1.000000] tsc: y [    1.000000] tsc: z`, // a program quotes the kernel
		"| [    1.000000] a | [    1.000000] b |",
		"2024-12-03T09:00:12+00:00 db1 kernel: rtc_cmos 00:00: setting system clock to 2024-12-03T09:00:12 UTC (1733216412)",
	} {
		require.Equal(t, []string{line}, Lines(line))
	}
}

// A line is read without what a mail program or a page added, and a wrapped line is joined.
func TestPastes(t *testing.T) {
	for line, want := range map[string]string{
		"> > [    0.000000] a": "[    0.000000] a", "    tsc: a": "tsc: a", "\ttsc: a": "tsc: a", "    TERM=linux": "    TERM=linux",
		"sched_clock: Marking unstable (1, 2)&lt;-(3, 4) &amp;&nbsp;x": "sched_clock: Marking unstable (1, 2)<-(3, 4) & x", "\u00a0[ 1.0] a": "[ 1.0] a",
		"<pre>tsc: a<br>": "tsc: a", "tsc: a^M$": "tsc: a", "(delta =3D -5 ns)": "(delta = -5 ns)", "delta=–5": "delta=-5",
	} {
		require.Equal(t, want, Plain(line), line)
	}
	const skew = "[   36.690994] clocksource: 'tsc' cs_now: 95666ec22 cs_last: 84e747930"
	for _, c := range []struct {
		lines  []string
		joined int
	}{
		{[]string{skew, "mask: ffffffffffffffff"}, 2},
		{[]string{"clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc'", "as unstable because the skew is", "too large:"}, 3},
		{[]string{"clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable", "because the skew is too large:", "tsc: Marking TSC unstable due to clocksource watchdog"}, 1},
		{[]string{"[   36.691901] tsc: Marking TSC unstable due to clocksource", "watchdog"}, 2},
		{[]string{"Clocksource tsc unstable (delta = -95170507948 ns).", "Enable clocksource failover by adding clocksource_failover kernel parameter."}, 2},
		{[]string{"[62939.809615] clocksource: clocksource_watchdog_inject_delay():", "Injecting delay."}, 2},
		{[]string{"Nov 20 02:08:11 localhost ntpd[3844]: frequency error -512 PPM", "exceeds tolerance 500 PPM"}, 2},
		{[]string{"Apr 26 14:25:40 x445 kernel: BIOS BUG: CPU#0 improperly initialized, has", "7358270 usecs TSC skew! FIXED."}, 2},
		{[]string{"syslog.5.gz:Nov 20 02:08:11 host systemd-journald[48]: Forwarding to syslog missed 3 messages.", "syslog.5.gz:Nov 20 02:08:12 host systemd-journald[48]: Time jumped backwards, rotating."}, 1},
		{[]string{skew[:len(skew)-3], "930 mask: ffffffffffffffff"}, 2},
		{[]string{"clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unst", "able because the skew is too large:"}, 2},
		{[]string{"Jan 27 22:33:06 localhost chronyd[867]: System clock was stepped by -32400.28", "3303 seconds"}, 2},
		{[]string{skew, "[   36.7] mask: ffffffffffffffff"}, 1},
		{[]string{"tsc: Marking TSC unstable due to clocksource watchdog", "and then I rebooted"}, 1},
		{[]string{"tsc: Marking TSC unstable due to clocksource watchdog", "```"}, 1},
		{[]string{"clocksource: timekeeping watchdog on CPU0: Marking clocksource", "'tsc-early' as unstable because the skew is too large:", "clocksource: 'refined-jiffies' wd_now: fffb7018"}, 2},
		{[]string{"[   25.822123] clocksource: Long readout interval, skipping watchdog", "check: cs_nsec: 5685587027 wd_nsec: 5685584899"}, 2},
		{[]string{"This is the clock:", "tsc: Marking TSC unstable due to clocksource watchdog"}, 1},
		{[]string{"Clocksource tsc unstable (delta = -292934800 ns)", "Switching to clocksource acpi_pm"}, 1},
		{[]string{"Sep 11 07:03:06 host app[3]: clocksource: Switched to", "clocksource tsc"}, 1},
		{[]string{"clocksource:"}, 1}, {[]string{"", ""}, 1},
	} {
		line, joined := Unwrap(c.lines)
		require.Equal(t, c.joined, joined, c.lines)
		require.Contains(t, []string{strings.Join(c.lines[:joined], " "), strings.Join(c.lines[:joined], "")}, line)
	}
}
