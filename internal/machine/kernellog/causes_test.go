package kernellog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/texts"
)

// A planted log shows a single kind of fault, made for a test from the formats of a kernel. It is for what no case shows:
// a new log is a row of plantedLogs.
type planted struct {
	kind    string
	machine Machine
	log     string
	// has are texts of the sentence.
	has []string
	tsc Judgement
}

const verdict = "clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:\n"

// slowTimer is a log in which the watchdog gave up, and the CPUs then agreed.
const slowTimer = "clocksource: timekeeping watchdog on CPU9: wd-tsc-wd excessive read-back delay of 200000ns vs. limit of 125000ns, wd-wd read-back delay only 11440ns, attempt 3, marking tsc unstable\nclocksource: Checking clocksource tsc synchronization from CPU 4 to CPUs 0-2,7.\n"

// hourLong are figures of a pause of 1 h: hpet wrapped, and the kernel's product of cycles and multiplier overflowed.
const hourLong = "clocksource: 'hpet' wd_nsec: 907904356 wd_now: 2844d77 wd_last: 1bdf205 mask: ffffffff\n" +
	"clocksource: 'tsc' cs_nsec: 301966189704 cs_now: 9ec0eac57ea cs_last: 19231a48ea mask: ffffffffffffffff"

// swinging are 12 lines of phc2sys whose offset is 0.2 ms to both sides.
var swinging = func() string {
	var lines strings.Builder
	for i, offset := range []int{190412, -203177, 151009, -180020, 199888, -130211, 210003, -198110, 170999, -201555, 188002, -191777} {
		fmt.Fprintf(&lines, "phc2sys[%d.1]: CLOCK_REALTIME phc offset %9d s2 freq %+7d delay   1340\n", 36+i, offset, offset/10)
	}
	return lines.String()
}()

// runaway are 19 lines of phc2sys whose offset only grows (nxp-archive/openil#61).
var runaway = func() string {
	var lines strings.Builder
	for i, offset := range []int{-5400, -5880, -6328, -6880, -7496, -8096, -8776, -9528, -10304, -11216, -12280, -13248, -14280, -15456, -16728, -18024, -19528, -21080, -22872} {
		fmt.Fprintf(&lines, "phc2sys[%d.710]: swp3 sys offset %9d s2 freq %+7d delay   6720\n", 372+i, offset, offset*6)
	}
	return lines.String()
}()

const (
	shownFirst  = "Universal time: Fri 2023-03-10 13:02:11 UTC\nRTC time: Fri 2023-03-10 13:02:12\n"
	shownAhead  = "Universal time: Fri 2023-03-10 16:31:55 UTC\nRTC time: Fri 2023-03-10 13:03:40\n"
	noRTCTime   = "rtc-rv3028 1-0052: Voltage low, data is invalid."
	talosNode   = "10.0.0.105   pool.ntp.org   2023-04-12 11:43:52.297503558 +0000 UTC   2023-04-12 11:43:52.31071359 +0000 UTC"
	scattered   = "192.0.2.1      6   3   325   -657.528   6622.955    +17ms   222ms\n"
	twoServers  = "Jul 17 04:19:28 x chronyd[7]: System clock wrong by 1721.913772 seconds, adjustment started\nJul 17 04:19:32 x chronyd[7]: Selected source 192.0.2.2\nJul 17 04:19:32 x chronyd[7]: System clock wrong by -1946.984184 seconds, adjustment started"
	shownBehind = "Universal time: Fri 2023-03-10 13:04:02 UTC\nRTC time: Fri 2023-03-10 13:04:02\n"
)

var plantedLogs = map[string]planted{
	"phc2sys swings":                 {"ptp-loose", Machine{}, swinging, []string{"phc2sys steers the rate", "by up to 210 µs"}, TSCUnknown},
	"timedatectl jumps":              {"shown-back-and-forth", Machine{}, shownFirst + shownAhead + shownBehind, []string{"by up to 3.471 h"}, TSCUnknown},
	"hwclock -w":                     {"rtc-was-off", Machine{}, "Universal time: Fri 2023-03-10 13:02:11 UTC\nRTC time: Sat 2000-01-01 00:00:00\n$ sudo hwclock -w\n" + shownBehind, []string{"behind the wall clock, until"}, TSCUnknown},
	"hwclock, then date":             {"rtc-differs", Machine{}, "hwclock: 2013-01-18 09:32:22.123456+02:00\ndate: Mon Apr 24 09:54:19 CEST 2023", []string{"behind the wall clock"}, TSCUnknown},
	"date, then an old hwclock":      {"rtc-differs", Machine{}, "date: Mon 24 Apr 2023 09:54:19 AM CEST\nhwclock: Fri Jan 18 09:32:22 2013  -0.501 seconds", []string{"behind the wall clock"}, TSCUnknown},
	"lines of two machines":          {"another-machine", Machine{}, "(the next lines are of another machine: web2)", []string{"(web2 is the second)"}, TSCUnknown},
	"WSL after a sleep":              {"hyperv-resumed", Machine{Kernel: "5.15.153.1-microsoft-standard-WSL2"}, "[    0.156529] hv_utils: TimeSync IC version 4.0\n[ 4565.205091] hv_utils: TimeSync IC version 4.0", []string{"4,565 s after the boot", "restart WSL"}, TSCUnknown},
	"the clock set in turn":          {"stepped-again", Machine{}, "(the dates of the lines go back and forth, by 1 s)\nMar 16 00:00:05 systemd[1]: Time has been changed", []string{"by up to 1 s, and forward"}, TSCUnknown},
	"timesyncd, 1 s off":             {"offset-measured", Machine{}, "Server: (null) (3.pool.ntp.org)\nLeap: normal\nOffset: -1.087495s\nPacket count: 620", []string{"1.087495s off", "no server"}, TSCUnknown},
	"samples that scatter":           {"samples-scatter", Machine{}, scattered + "192.0.2.2      6   3   325   +57.528   5622.955    +17ms   176ms", []string{"222ms, of 192.0.2.1"}, TSCUnknown},
	"NMEA without its offset":        {"refclock-apart", Machine{}, "#x NMEA 0 3 77 9 -452ms[ -452ms] +/- 200ms", []string{"NMEA is 452ms away"}, TSCUnknown},
	"two servers, an hour apart":     {"servers-disagree", Machine{}, twoServers, []string{"1,722 s behind", "1,947 s ahead"}, TSCUnknown},
	"two servers that agree":         {"not-stepped", Machine{}, strings.Replace(twoServers, "-1946.984184", "1721.513772", 1), []string{"1,722 s behind"}, TSCUnknown},
	"two servers, and no majority":   {"servers-disagree", Machine{}, twoServers + "\nJul 17 04:21:41 x chronyd[7]: Can't synchronise: no majority", []string{"Later it found no majority"}, TSCUnknown},
	"hwclock -w after no time":       {"rtc-unset", Machine{}, noRTCTime + "\n$ sudo hwclock -w\nhwclock: 2020-01-02 16:50:06.026608-08:00", []string{"Since then it can be read"}, TSCUnknown},
	"hwclock -w, and no read":        {"rtc-unset", Machine{}, noRTCTime + "\n$ sudo hwclock -w", []string{"A boot then starts"}, TSCUnknown},
	"OpenNTPD, a server in alarm":    {"server-alarm", Machine{}, "Apr 18 06:43:22 fwr ntpd[2660]: reply from 192.0.2.5: not synced (alarm), next query 3224s", []string{"192.0.2.5 is itself not"}, TSCUnknown},
	"reads of 78 µs":                 {"ptp-slow-read", Machine{}, strings.Repeat("phc2sys[1.4]: phc offset -6374 s2 freq +3494 delay 98123\nphc2sys[2.4]: phc offset 7295 s2 freq +15238 delay 78833\n", 4), []string{"takes phc2sys 78.83 µs and more"}, TSCUnknown},
	"a node of Talos":                {"node-off", Machine{}, talosNode + "\n10.0.0.102   pool.ntp.org   2023-04-12 11:43:52.430898682 +0000 UTC   2023-04-12 11:43:52.303693959 +0000 UTC", []string{"10.0.0.102 is 127.2 ms ahead"}, TSCUnknown},
	"apt, two lists":                 {"time-refused", Machine{}, "Release file for http://x/InRelease is not valid yet (invalid for another 2d 0h 56min 20s)\nRelease file for http://y/InRelease is not valid yet (invalid for another 1d 23h 55min 45s)", []string{"at least 2d 0h 56min 20s behind"}, TSCUnknown},
	"phc2sys runs away":              {"ptp-loose", Machine{}, runaway, []string{"only grows, to 22.87 µs"}, TSCUnknown},
	"BusyBox, off after a step":      {"off-again", Machine{}, "ntpd: setting time to 2024-09-04 23:39:37.979902 (offset +49.557731s)\nntpd: reply from 192.0.2.1: offset:+19.227141 delay:0.016823 status:0x24", []string{"finds it 19.23 s behind again"}, TSCUnknown},
	"a failed unit":                  {"service-failed", Machine{}, "Jun 28 02:17:09 core-02 systemd[1]: Unit ntpd.service entered failed state.", []string{"ntpd ended with an error"}, TSCUnknown},
	"a service that started":         {"service-started", Machine{}, "Jun 25 08:15:43 f4hy systemd[1]: Started Network Time Synchronization.", []string{"do not show whether"}, TSCUnknown},
	"an old ntpq, without types":     {"status-synchronized", Machine{}, "remote           refid      st t when poll reach   delay   offset  jitter\nntpq: *192.0.2.1 192.0.2.8 2 - 48 64 16 0.001 2.273 0.115", nil, TSCUnknown},
	"chronyc without a source":       {"no-sources-listed", Machine{}, "MS Name/IP address         Stratum Poll Reach LastRx Last sample", []string{"shows no server"}, TSCUnknown},
	"a server that answered":         {"server-answered", Machine{}, "systemd-timesyncd[1161]: Synchronized to time server 192.0.2.62:123 (a).", []string{"answered the time service"}, TSCUnknown},
	"w32tm, 12 hours":                {"windows-off", Machine{}, "06:39:15, -43149.7350583s", []string{"AM in place of PM"}, TSCUnknown},
	"journald, 51 h after the boot":  {"stepped", Machine{}, "[186496.089907] systemd-journald[117362]: Time jumped backwards, rotating.", []string{"not at the start"}, TSCUnknown},
	"a second chronyd":               {"chronyd-twice", Machine{}, "chronyd[2708]: Fatal error : Another chronyd may already be running (pid=811), check /run/chrony/chronyd.pid", []string{"or an earlier one left its PID file"}, TSCUnknown},
	"a server without a source":      {"server-is-unsynchronized", Machine{}, "li=3 (0xc0)", []string{"leap indicator 3"}, TSCUnknown},
	"acpi_pm marked by the TSC":      {"other-marked", Machine{}, strings.ReplaceAll(verdict, "tsc'", "acpi_pm'") + "clocksource:                       'tsc' (not 'acpi_pm') is current clocksource.", []string{"Programs read tsc"}, TSCUnknown},
	"a second real-time clock":       {"rtc-unset", Machine{}, "rk808-rtc rk808-rtc.3.auto: setting system clock to 2025-05-24T08:14:40 UTC (1748074480)\nrtc-hym8563 5-0051: no valid clock/calendar values available", []string{"Another one set the wall clock"}, TSCUnknown},
	"one clock with two names":       {"rtc-unset", Machine{}, "rtc_pcf8563 0-0051: low voltage detected, date/time is not reliable.\nrtc-pcf8563 0-0051: setting system clock to 2025-05-24T08:14:40 UTC (1748074480)", []string{"could not be read, or had no valid time"}, TSCUnknown},
	"OpenNTPD loses the offset":      {"slewing-lost", Machine{}, "adjusting local clock by 24783.715023s\nadjusting local clock by 2.171237s", []string{"6.884 h off", "the clock is still wrong"}, TSCUnknown},
	"ntpd -q gets no answer":         {"no-answer", Machine{}, "root@pi:~# ntpd -gq\n10 Jan 05:01:26 ntpd[940]: Soliciting pool server 192.0.2.62", []string{"ntpd asked the servers of a pool once (-q)"}, TSCUnknown},
	"a service that reaches none":    {"status-unsynchronized", Machine{}, "System clock synchronized: no\nNTP service: active", []string{"although a time service runs"}, TSCUnknown},
	"chronyd in a wrapper":           {"jumped", Machine{}, "Mar 23 12:01:09 9294512 healthdog[2011]: 2017-03-23T12:01:09Z Backward time jump detected!\nMar 23 12:01:25 9294512 healthdog[2011]: 2017-03-23T12:01:25Z System clock wrong by 170630052.229025 seconds", []string{"another program"}, TSCUnknown},
	"ntpd without a number":          {"rate-beyond-limit", Machine{}, "    host1 ntpd[xxxx]: frequency error -506 PPM exceeds tolerance 500 PPM", []string{"ntpd finds", "-506 PPM"}, TSCUnknown},
	"a message of ntpd alone":        {"rate-beyond-limit", Machine{}, "frequency error 512 PPM exceeds tolerance 500 PPM", []string{"ntpd finds"}, TSCUnknown},
	"netconsole with its own stamp":  {"read-back-delay", Machine{}, "17:25:51 [1699] clocksource: wd-tsc-wd excessive read-back delay of 201706082ns ... marking tsc unstable\n17:25:51 [1699] tsc: Marking TSC unstable due to clocksource watchdog", []string{"201.7 ms"}, TSCUnknown},
	"a verdict that is cut off":      {"clocks-disagree", Machine{}, "clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable...", []string{"does not have the figures of both"}, TSCUnknown},
	"an RTC ten years behind":        {"rtc-differs", Machine{}, "System Time: 1682322859.429001\nTime read from Hardware Clock: 2013/01/18 09:32:22", []string{"3,748 days behind the wall clock"}, TSCUnknown},
	"timedatectl, an RTC of 2000":    {"rtc-differs", Machine{}, "Universal time: Sun 2019-11-29 09:00:00 UTC\nRTC time: Sat 2000-01-01 00:00:00", []string{"behind the wall clock"}, TSCUnknown},
	"hwclock waits in vain":          {"rtc-silent", Machine{}, "hwclock: select() to /dev/rtc0 to wait for clock tick timed out", []string{"concerns hwclock"}, TSCUnknown},
	"make":                           {"file-times", Machine{}, "make[3]: warning:  Clock skew detected.  Your build may be incomplete.", []string{"in the future"}, TSCUnknown},
	"a softirq":                      {"softirq-pending", Machine{}, "NOHZ tick-stop error: Non-RCU local softirq work is pending, handler #08!!!", []string{"no clock"}, TSCUnknown},
	"half a pair that stands still":  {"watchdog-stopped", Machine{}, verdict + "clocksource:                       'hpet' wd_now: 33 wd_last: 33 mask: ffffffff", []string{"hpet does not count"}, TSCUnknown},
	"Windows reaches no server":      {"windows-silent", Machine{}, "The time provider NtpClient is currently receiving valid time data from dc1\nNtpClient was unable to set a manual peer to use as a time source", []string{"UDP port 123"}, TSCUnknown},
	"Windows does not set its clock": {"windows-far", Machine{}, "The time service has detected that the system time needs to be changed by +86400 seconds.", []string{"24 h behind"}, TSCUnknown},
	"Windows could not synchronize":  {"windows-unsynchronized", Machine{}, "The time service has not been able to synchronize the system time for 49152 seconds because none", []string{"49152 seconds"}, TSCUnknown},
	"w32tm in German":                {"free-running", Machine{}, "Sprungindikator: 0(keine Warnung)\nQuelle: Local CMOS Clock", []string{"no server"}, TSCUnknown},
	"w32tm in French":                {"status-synchronized", Machine{}, "Indicateur de saut : 0(aucun avertissement)\nSource : dc1", nil, TSCUnknown},
	"VirtualBox's drift":             {"guest-far", Machine{}, "00:00:01.016484 timesync vgsvcTimeSyncWorker: Guest: - 2016-02-25T23:29:17.996582000Z => 424 598 418 000 ns drift", []string{"424.6 s behind"}, TSCUnknown},
	"below 2^42 ns":                  {"tsc-went-back", Machine{}, "Clocksource tsc unstable (delta = 4398045288922 ns)", []string{"just below 2^42 ns", "by 1.222 ms at most"}, TSCWrong},
	"more than the uptime":           {"clocks-disagree", Machine{}, "[    9.293972] Clocksource tsc unstable (delta = -26784026280 ns)", []string{"more than the 9.294 s since the boot"}, TSCUnknown},
	"no space behind wd_now":         {"weak-watchdog", Machine{}, verdict + "clocksource: 'refined-jiffies' wd_now:ffff8b3e wd_last: ffff8b07 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 829966007 cs_now: 6049e0005 cs_last: 5f91b3cff mask: ffffffffffffffff", nil, TSCUnknown},
	"a wide error":                   {"status-unsynchronized", Machine{}, "Root dispersion : 3849.691650391 seconds\nLeap status     : Normal", []string{"not synchronised"}, TSCUnknown},
	"an interrupt too slow":          {"timer-held-off", Machine{}, "hrtimer: interrupt too slow, forcing clock min delta to 11127120 ns", []string{"11.13 ms ahead"}, TSCUnknown},
	"apt finds a time in the future": {"time-refused", Machine{}, "E: Release file for http://x/InRelease is not valid yet (invalid for another 4d 3h 29min 57s).", []string{"apt compared", "at least 4d 3h 29min 57s behind"}, TSCUnknown},
	"a root distance above 5 s":      {"status-without-answer", Machine{}, "systemd-timesyncd[712]: Server has too large root distance. Disconnecting.", []string{"domain controller"}, TSCUnknown},
	"Windows, event 50":              {"windows-apart", Machine{}, "The time service detected a time difference of greater than 5000 milliseconds for 900 seconds. The", []string{"5000 milliseconds away"}, TSCUnknown},
	"chronyd without a driver":       {"chronyd-ended", Machine{}, "chronyd[4556]: Fatal error : unknown refclock driver kPPS", []string{"(unknown refclock driver kPPS)"}, TSCUnknown},
	"an outvoted server":             {"falseticker", Machine{}, "chronyd[379]: Detected falseticker GPS", []string{"contradicts the others"}, TSCUnknown},
	"an old list of leap seconds":    {"leap-file-old", Machine{}, "Jul  4 14:33:28.189168 sonic ERR ntpd[6042]: leapsecond file ('/usr/share/zoneinfo/leap-seconds.list'): expired 7 days ago", []string{"tzdata"}, TSCUnknown},
	"ts2phc with an old list":        {"ptp-leap-file", Machine{}, "ts2phc[481.823]: UTC time is past leap second table expiry date", []string{"ts2phc uses no time stamp"}, TSCUnknown},
	"timers that end on ticks":       {"ends-on-ticks", Machine{}, "[    0.827842] Could not switch to high resolution mode on CPU 6", []string{"end with the ticks"}, TSCUnknown},
	"one wrong peer of ntpq":         {"status-synchronized", Machine{}, "ntpq: x192.0.2.1 .GPS. 1 u 33 64 377 0.345 1523421.1 0.112\nntpq: *192.0.2.62 192.0.2.48 2 u 11 64 377 0.286 +0.237 0.033", nil, TSCUnknown},
	"w32tm without a server":         {"free-running", Machine{}, "Leap Indicator: 0(no warning)\nSource: Local CMOS Clock", []string{"no server"}, TSCUnknown},
	"no source":                      {"no-source", Machine{}, "chronyd[7]: Selected source 192.0.2.62\nchronyd[7]: Can't synchronise: no selectable sources", []string{"to the end of this log"}, TSCUnknown},
	"ntpd ends":                      {"ntpd-ended", Machine{}, "ntpd[3794]: time correction of 1537 seconds exceeds sanity limit (1000); set clock manually to the correct UTC time.", []string{"1,537 s behind and ended itself"}, TSCUnknown},
	"a wait for the time":            {"time-wait", Machine{}, "systemd[1]: chrony-wait.service: start operation timed out. Terminating.", []string{"No clock is at fault"}, TSCUnknown},
	"Windows, a day":                 {"windows-unsynchronized", Machine{}, "The time service has not synchronized the system time for 86400 seconds because", []string{"86400 seconds"}, TSCUnknown},
	"Scylla stopped":                 {"program-stopped", Machine{}, "Feb 10 18:13:38 ip-1 scylla[2107]: WARN  [shard 0] failure_detector - Not marking nodes down due to local pause of 128306 > 5000 (milliseconds)", []string{"(128306 > 5000)"}, TSCUnknown},
	"a disk without DMA":             {"lost-ticks", Machine{}, "hda: DMA disabled\nwarning: many lost ticks.", []string{"a disk without DMA"}, TSCUnknown},
	"lost ticks once":                {"ticks-checked", Machine{}, "Losing some ticks... checking if CPU frequency changed.", []string{"made up for these"}, TSCUnknown},
	"perf samples less": {"sampling-slowed", Machine{}, "[ 1003.011834] perf interrupt took too long (2555 > 2500), lowering kernel.perf_event_max_sample_rate to 50000\n" +
		"[ 5321.000000] INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.553 msecs", []string{"no fault of a clock"}, TSCUnknown},
	"TSC ADJUST, mended":               {"tsc-adjust", Machine{}, "[Firmware Bug]: TSC ADJUST differs within socket(s), fixing all errors\nTSC ADJUST compensate: CPU1 observed 92 warp. Adjust: 92", []string{"corrected it"}, TSCUnknown},
	"acpi_pm asked for beside the TSC": {"override-refused", Machine{ClockSource: "tsc"}, "clocksource: Override clocksource acpi_pm is not HRT compatible - cannot switch while in HRT/NOHZ mode", []string{"It uses tsc, which is faster"}, TSCUnknown},
	"unsynchronised for long": {"not-synchronized", Machine{}, "Mar 14 10:00:01 db1 ntpd[812]: kernel reports TIME_ERROR: 0x41: Clock Unsynchronized\n" +
		"Mar 14 10:17:01 db1 ntpd[812]: kernel reports TIME_ERROR: 0x2041: Clock Unsynchronized", []string{"still not synchronised 1,020 s after"}, TSCUnknown},
	"ntpsec, a wrong rate": {"rate-beyond-limit", Machine{}, "Oct 30 13:00:58 spr ntpd[3517]: CLOCK: frequency error 41699 PPM exceeds tolerance 500 PPM", []string{"41699 PPM"}, TSCUnknown},
	"no server selected":   {"servers-listed", Machine{}, "remote           refid      st t when poll reach   delay   offset  jitter\nntpq: 192.0.2.1 .STEP. 16 u - 1024 0 0.000 0.000 0.000", []string{"selected none"}, TSCUnknown},
	"servers far off":      {"servers-far", Machine{}, "ntpq: 192.0.2.1 .GPS. 1 u 33 64 377 0.345 1523421.1 0.112", []string{"1,523 s behind"}, TSCUnknown},
	"w32tm /monitor":       {"peers-differ", Machine{}, "NTP: +421.1935218s offset from DC1.example.net", []string{"w32tm compared", "421.1935218s"}, TSCUnknown},
	"machines that agree":  {"peers-agree", Machine{}, "NTP: +0.0012345s offset from DC1.example.net", []string{"within a second"}, TSCUnknown},
	"a TSC of 233 MHz": {"weak-watchdog", Machine{}, "smpboot: Total of 2 processors activated (930.79 BogoMIPS)\n" + verdict +
		"clocksource: 'refined-jiffies' wd_now: ffff8b39 wd_last: ffff8b07 mask: ffffffff\nclocksource: 'tsc' cs_now: 50fdc058d cs_last: 4ff05ffb9 mask: ffffffffffffffff", []string{"advanced 1.214 s (282461652 cycles at 232.7 MHz"}, TSCUnknown},
	"hpet read as all ones": {"watchdog-unreadable", Machine{}, verdict +
		"'hpet' wd_now: ffffffff wd_last: 19ec5720 mask: ffffffff\n'tsc' cs_now: 69b8a15f0aed cs_last: 69b862c9947d mask: ffffffffffffffff",
		[]string{"The hpet was read as ffffffff: the read failed", "counted 1049982576 cycles", "probably right"}, TSCUnknown},
	"hpet read as all ones before, and a late check": {"watchdog-unreadable", Machine{}, "tsc: Detected 2000.000 MHz processor\n" + verdict +
		"'hpet' wd_now: 19ec5720 wd_last: ffffffff mask: ffffffff\n'tsc' cs_now: 2540be400 cs_last: 0 mask: ffffffffffffffff", []string{"do not show whether the TSC is right"}, TSCUnknown},
	"acpi_pm wraps, 5.4": {"watchdog-wrapped", Machine{}, "tsc: Refined TSC clocksource calibration: 2000.000 MHz\n" + verdict + // 0.5 s + 2 rounds of 4.687 s
		"clocksource: 'acpi_pm' wd_now: 1b4fb2 wd_last: 0 mask: ffffff\nclocksource: 'tsc' cs_now: 4987ff3b4 cs_last: 0 mask: ffffffffffffffff", []string{"2 rounds of acpi_pm", "wrapped"}, TSCRight},
	"hpet wraps, 6.6": {"watchdog-wrapped", Machine{Guest: true}, verdict +
		"clocksource:  'hpet' wd_nsec: 503000000 wd_now: 6de5c3 wd_last: 0 mask: ffffffff\nclocksource:  'tsc' cs_nsec: 300470650000 cs_now: d1cef9b000 cs_last: 0 mask: ffffffffffffffff", []string{"300 s is one round of hpet"}, TSCRight},
	"a late check, 6.8, wrapped": {"watchdog-wrapped", Machine{}, "clocksource: Long readout interval, skipping watchdog check: cs_nsec: 5100000000 wd_nsec: 413031125", []string{"acpi_pm"}, TSCRight},
	"an hpet of 64 bits does not wrap": {"tsc-jumped", Machine{}, verdict +
		"clocksource: 'hpet' wd_nsec: 512000000 wd_now: 6fdc6c wd_last: 10 mask: ffffffffffffffff\nclocksource: 'tsc' cs_nsec: 300478500000 cs_now: d1e1be25e1 cs_last: 1 mask: ffffffffffffffff", []string{"jumped forward"}, TSCWrong},
	"no whole round":        {"tsc-jumped", Machine{}, "clocksource: Clocksource 'tsc' skewed 5000000000 ns (5000 ms) over watchdog 'acpi_pm' interval of 500000000 ns (500 ms)", []string{"5.5 s"}, TSCWrong},
	"hpet wraps, old words": {"watchdog-wrapped", Machine{}, "Clocksource tsc unstable (delta = 299966412345 ns)", []string{"one round of hpet"}, TSCRight},
	"jiffies, and reliable before 5.4": {"weak-watchdog", Machine{Kernel: "4.18.0-240.el8.x86_64", Parameters: []string{"tsc=reliable"}}, strings.ReplaceAll(verdict, "tsc'", "tsc-early'") +
		"clocksource: 'refined-jiffies' wd_now: fffb7018 wd_last: fffb6e9d mask: ffffffff\nclocksource: 'tsc-early' cs_now: 2 cs_last: 1 mask: ffffffffffffffff", []string{"before 5.4"}, TSCUnknown},
	"kvm-clock jumps": {"watchdog-jumped", Machine{Guest: true}, "tsc: Detected 2500.000 MHz processor\n" + verdict +
		"clocksource: 'kvm-clock' wd_now: 43d0af2c40 wd_last: 65f9100 mask: ffffffffffffffff\nclocksource: 'tsc' cs_now: 4a817c80 cs_last: 0 mask: ffffffffffffffff", []string{"kvm-clock jumped", "291.2 s", "500 ms"}, TSCUnknown},
	"xen jumps": {"watchdog-jumped", Machine{}, verdict +
		"clocksource: 'xen' wd_nsec: 90500000000 wd_now: 2 wd_last: 1 mask: ffffffffffffffff\nclocksource: 'tsc' cs_nsec: 501000000 cs_now: 5995f5c1 cs_last: 1 mask: ffffffffffffffff", []string{"xen jumped", "90.5 s"}, TSCUnknown},
	"both agree, skipped":        {"clocks-agree", Machine{}, "[    C2] clocksource: Long readout interval, skipping watchdog check: cs_nsec: 1600000000 wd_nsec: 1600001000", []string{"neither is wrong", "it ran 1.1 s late: the machine was busy or paused"}, TSCRight},
	"slow timer, 5.13":           {"read-back-delay", Machine{}, "clocksource: timekeeping watchdog on CPU6: hpet read-back delay of 525200ns, attempt 4, marking unstable\ntsc: Marking TSC unstable due to clocksource watchdog", []string{"525.2 µs", "did not compare"}, TSCUnknown},
	"slow timer, and firmware":   {"read-back-delay", Machine{}, slowTimer + "[Firmware Bug]: TSC ADJUST differs: CPU15 45960750 --> 78394770. Restoring", []string{"failed or warned"}, TSCUnknown},
	"slow timer, and a skew":     {"read-back-delay", Machine{}, slowTimer + "clocksource: Clocksource 'tsc' skewed -9000000 ns (-9 ms) over watchdog 'hpet' interval of 500000000 ns (500 ms)", []string{"failed or warned"}, TSCUnknown},
	"slow timer, and CPUs apart": {"cpus-differ", Machine{}, slowTimer + "clocksource:         CPUs 2 behind CPU 4 for clocksource tsc.", []string{"the TSC of CPU 2 is behind CPU 4"}, TSCWrong},
	"cs_now < cs_last, 4.9": {"tsc-went-back", Machine{Guest: true}, "tsc: Detected 3000.000 MHz processor\n" + verdict +
		"clocksource: 'kvm-clock' wd_now: 37a9d5e2c0 wd_last: 378a0d4e00 mask: ffffffffffffffff\nclocksource: 'tsc' cs_now: 59682f00 cs_last: 1e8f1c108000 mask: ffffffffffffffff", []string{"restarted near zero", "pauses"}, TSCWrong},
	"skew as long as the interval": {"tsc-went-back", Machine{}, "clocksource: Clocksource 'tsc' skewed -500000123 ns (-500 ms) over watchdog 'hpet' interval of 500000123 ns (500 ms)", []string{"0 ns"}, TSCWrong},
	"KVM sees it":                  {"tsc-went-back", Machine{}, "tsc: Marking TSC unstable due to KVM discovered backwards TSC", []string{"KVM found"}, TSCWrong},
	"warp of an added CPU":         {"cpus-differ", Machine{Guest: true}, "TSC ADJUST compensate: CPU1 observed 169175101528 warp. Adjust: 169175101528\nTSC synchronization [CPU#0 -> CPU#1]:\nMeasured 235 cycles TSC warp between CPUs, turning off TSC clock.", []string{"169175101528 cycles behind", "hypervisor"}, TSCWrong},
	"warp beats the watchdog":      {"cpus-differ", Machine{}, "Clocksource tsc unstable (delta = 4687619986 ns)\nMeasured 77 cycles TSC warp between CPUs, turning off TSC clock.", []string{"77 cycles"}, TSCWrong},
	"a failed check alone":         {"cpus-differ", Machine{}, "TSC synchronization [CPU#0 -> CPU#1]:", []string{"The TSCs of the CPUs differ.", "after a suspend"}, TSCWrong},
	"CPUs ahead":                   {"cpus-differ", Machine{}, "clocksource:         CPUs 0-1,4 ahead of CPU 3 for clocksource tsc.", []string{"the TSCs of CPUs 0, 1 and 4 are ahead of CPU 3"}, TSCWrong},
	"CPUID, too low":               {"wrong-cpuid-rate", Machine{}, "tsc: Previous calibrated TSC freq:\t1896.000 MHz\ntsc: TSC freq recalibrated by [HPET]:\t1975.000 MHz", []string{"runs fast by 4.17 %. NTP would have to correct it by 40000 ppm"}, TSCWrong},
	"ticks alone":                  {"weak-watchdog", Machine{Parameters: []string{"acpi=off"}}, verdict + "clocksource: 'refined-jiffies' wd_now: fffb7018 wd_last: fffb6e9d mask: ffffffff\nclocksource: 'tsc' cs_now: 2 cs_last: 1 mask: ffffffffffffffff\nclocksource: Switched to clocksource refined-jiffies", []string{"acpi=off disables better timers", "by one of them"}, TSCUnknown},
	"CPUID, figures cut":           {"wrong-cpuid-rate", Machine{}, "tsc: Warning: TSC freq calibrated by CPUID/MSR differs from what is calibrated by HW timer, please check with vendor!!", []string{"500 ppm"}, TSCWrong},
	"figures of 15 µs":             {"clocks-disagree", Machine{}, verdict + "clocksource: 'hpet' wd_nsec: 15000 wd_now: 2 wd_last: 1 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 19000 cs_now: 2 cs_last: 1 mask: 0", []string{"15 µs", "too short a time for a rate"}, TSCUnknown},
	"a guessed rate proves no agreement": {"check-ran-late", Machine{CPU: "AMD EPYC @ 2.0 GHz"}, verdict + "clocksource: 'hpet' wd_now: 1b4fb18 wd_last: 0 mask: ffffffff\nclocksource: 'tsc' cs_now: ee6b2800 cs_last: 0 mask: ffffffffffffffff",
		[]string{"by the name of the CPU", "a guess", "agrees to a per cent"}, TSCUnknown},
	"an HPET that did not stop at 24 MHz": {"clocks-disagree", Machine{}, "tsc: Detected 2100.000 MHz processor\n" + verdict + "clocksource: 'hpet' wd_now: 288fcc0 wd_last: 1a8b333 mask: ffffffff\nclocksource: 'tsc' cs_now: 1def309ebfdee cs_last: 1def2bd70d92c mask: ffffffffffffffff\ntsc: Refined TSC clocksource calibration: 2095.077 MHz",
		[]string{"612.5 ms at 24 MHz, which makes the clocks agree"}, TSCUnknown},
	"a rate that makes the clocks agree": {"clocks-disagree", Machine{CPU: "Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz", Kernel: "5.18"}, verdict + "clocksource: 'hpet' wd_now: b71b00 wd_last: 0 mask: ffffffff\nclocksource: 'tsc' cs_now: 448b9b80 cs_last: 0 mask: ffffffffffffffff",
		[]string{"838.1 ms at 14.318 MHz", "500 ms at 24 MHz, which makes the clocks agree"}, TSCUnknown},
	"23 GHz beside BogoMIPS": {"impossible-rate", Machine{}, "tsc: Detected 23274.000 MHz processor\nCalibrating delay loop (skipped), value calculated using timer frequency.. 4654.18 BogoMIPS (lpj=2327090)",
		[]string{`23.27 GHz (by the line "Detected")`, "2.327 GHz, by BogoMIPS", "a factor of 10."}, TSCWrong},
	"a counter without a rate":     {"no-rate", Machine{}, "arch_timer: cp15 timer(s) running at 0.00MHz (virt).", []string{"arch_sys_counter"}, TSCUnknown},
	"registered without a rate":    {"no-rate", Machine{}, "clocksource: riscv_clocksource: mask: 0xffffffffffffffff max_cycles: 0x1d854df40, max_idle_ns: 0 ns", []string{"riscv_clocksource"}, TSCUnknown},
	"a multiplier of 1":            {"no-rate", Machine{}, "clocksource: Constant: mask: 0xffffffffffffffff max_cycles: 0xffffffffffffffff, max_idle_ns: 9007199254740991 ns", []string{"constant"}, TSCUnknown},
	"no rate":                      {"impossible-rate", Machine{}, "tsc: Detected 0.000 MHz processor", []string{"0 Hz"}, TSCWrong},
	"a clock set by hand":          {"status-unsynchronized", Machine{}, "Universal time: Sat 2027-12-25 00:02:26 UTC\nRTC time: Fri 2025-10-31 05:07:35\nSystem clock synchronized: no\nRTC in local TZ: yes", nil, TSCUnknown},
	"an RTC with the local time":   {"rtc-local", Machine{}, "RTC in local TZ: yes", []string{"set-local-rtc 0"}, TSCUnknown},
	"a disturbed measurement":      {"calibration-failed", Machine{}, "tsc: HPET/PMTIMER calibration failed\ntsc: Marking TSC unstable due to could not calculate TSC khz", []string{"busy host"}, TSCWrong},
	"an old laptop without timers": {"cpufreq-changes", Machine{}, "Marking TSC unstable due to cpufreq changes\nSwitching to clocksource pit", nil, TSCWrong},
	"no reference":                 {"calibration-failed", Machine{Parameters: []string{"acpi=off"}}, "tsc: Marking TSC unstable due to could not calculate TSC khz", []string{"acpi=off"}, TSCWrong},
	"a refinement that was disturbed": {"bad-calibration", Machine{}, "[    1.430684] tsc: Refined TSC clocksource calibration: 2111.941 MHz\n[    2.126669] " + verdict +
		"[    2.128267] clocksource:                       'hpet' wd_nsec: 499760653 wd_now: 1b8ad51 wd_last: 14b7d82 mask: ffffffff\n[    2.128877] clocksource:                       'tsc' cs_nsec: 496003478 cs_now: 66814158c cs_last: 629a40ae8 mask: ffffffffffffffff",
		[]string{"It found 2111.941 MHz; by this pair it is 2096.064 MHz"}, TSCUnknown},
	"wrong by 1769 ppm at 8 s": {"bad-calibration", Machine{}, "[    8.502316] " + verdict +
		"[    8.502335] clocksource:                       'hpet' wd_nsec: 495412266 wd_now: 74b2d4c wd_last: 6def0b2 mask: ffffffff\n[    8.502343] clocksource:                       'tsc' cs_nsec: 496288695 cs_now: 1a21e4cda2 cs_last: 19b1b24352 mask: ffffffffffffffff\n[    8.502614] clocksource: Checking clocksource tsc synchronization from CPU 4 to CPUs 0,5.\n[    8.503001] clocksource: Switched to clocksource hpet",
		[]string{"soon after boot", "2 other CPUs and found none"}, TSCUnknown},
	"a parameter": {"set-by-parameter", Machine{}, "tsc: Marking TSC unstable due to boot parameter", []string{"tsc=unstable"}, TSCUnknown},
	"halts":       {"halts-in-idle", Machine{}, "Marking TSC unstable due to: possible TSC halt in C2.\nClocksource tsc unstable (delta = -432097679 ns)", []string{"stops while"}, TSCWrong},
	"bhyve":       {"emulated-clocks", Machine{Guest: true, Hypervisor: "bhyve"}, "Clocksource tsc unstable (delta = -131624372 ns)", []string{"131.6 ms less", "hypervisor"}, TSCUnknown},
	"VirtualBox": {"emulated-clocks", Machine{}, "DMI: innotek GmbH VirtualBox/VirtualBox, BIOS VirtualBox 12/01/2006\n" + verdict +
		"clocksource: 'acpi_pm' wd_nsec: 503000000 wd_now: 2 wd_last: 1 mask: ffffff\nclocksource: 'tsc' cs_nsec: 641200000 cs_now: 72a7ce81 cs_last: 1 mask: ffffffffffffffff", []string{"+27.5 %"}, TSCUnknown},
	"a pause of 1 h":                {"watchdog-may-have-wrapped", Machine{}, verdict + hourLong, []string{"several times", "figure of 302 s is impossible", "Otherwise the TSC jumped"}, TSCUnknown},
	"a pause of 1 h, with the rate": {"watchdog-wrapped", Machine{}, "tsc: Detected 3000.000 MHz processor\n" + verdict + hourLong, []string{"12 rounds of hpet"}, TSCRight},
	"a pause of 1 h, 6.3": {"watchdog-may-have-wrapped", Machine{}, verdict + hourLong +
		"\nclocksource: Clocksource 'tsc' skewed 301058285348 ns (301058 ms) over watchdog 'hpet' interval of 907904356 ns (907 ms)", []string{"several times"}, TSCUnknown},
	"impossible figures": {"clocks-disagree", Machine{}, verdict + "clocksource: 'hpet' wd_nsec: -3000000000 wd_now: 2 wd_last: 1 mask: 0\n" +
		"clocksource: 'tsc' cs_nsec: 99999999999999999999999 cs_now: 2 cs_last: 1 mask: 0", []string{"does not have the figures of both"}, TSCUnknown},
	"CPUs that cannot be":   {"read-back-delay", Machine{}, strings.Replace(slowTimer, "0-2,7", "0-99999999", 1), []string{"or in a virtual machine."}, TSCUnknown},
	"cycles that cannot be": {"cpus-differ", Machine{}, "CPU5 0 < CPU0 18446744073709551614 (cycles)", []string{"The TSCs of the CPUs differ."}, TSCWrong},
	"cycles beyond 2^53":    {"cpus-differ", Machine{}, "CPU5 0 < CPU0 9007199254740993 (cycles)", []string{"9007199254740993 cycles"}, TSCWrong},
	"a tiny difference": {"emulated-clocks", Machine{Guest: true}, verdict +
		"clocksource: 'hpet' wd_nsec: 633000000 wd_now: 2 wd_last: 1 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 633000001 cs_now: 2 cs_last: 1 mask: 0", []string{"less than 1 ppm"}, TSCUnknown},
	"half a day": {"tsc-jumped", Machine{}, verdict +
		"clocksource: 'hpet' wd_now: 6d7a3f wd_last: 0 mask: ffffffff\nclocksource: 'tsc' cs_now: 76b7ebfeea0f cs_last: 0 mask: ffffffffffffffff", []string{"jumped forward", "130532310444559 cycles"}, TSCWrong},
	"five seconds": {"tsc-jumped", Machine{}, verdict +
		"clocksource: 'hpet' wd_nsec: 500000000 wd_now: 2 wd_last: 1 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 5500000000 cs_now: 3d77a0501 cs_last: 1 mask: ffffffffffffffff", []string{"5.5 s"}, TSCWrong},
	"early": {"bad-calibration", Machine{}, strings.ReplaceAll("[    2.1] "+verdict, "tsc'", "tsc-early'") +
		"[    2.1] clocksource: 'hpet' wd_nsec: 496000000 wd_now: 2 wd_last: 1 mask: ffffffff\n[    2.1] clocksource: 'tsc-early' cs_nsec: 496250000 cs_now: 58bc85b1 cs_last: 1 mask: ffffffffffffffff", []string{"504 ppm", "first estimate"}, TSCUnknown},
	"rates of registered clock sources": {"tsc-jumped", Machine{}, "[    0.000000] clocksource: tsc-early: mask: 0xffffffffffffffff max_cycles: 0x229826ac86b, max_idle_ns: 440795256043 ns\n" +
		"[    1.520000] clocksource: tsc: mask: 0xffffffffffffffff max_cycles: 0x2298356b3a3, max_idle_ns: 440795284402 ns\n" +
		"[    1.530000] clocksource: Switched to clocksource tsc\n" +
		"[ 5000.000000] clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
		"[ 5000.000000] clocksource: 'acpi_pm' wd_now: 229ae4 wd_last: 1bdf20 mask: ffffff\n" +
		"[ 5000.000000] clocksource: 'tsc' cs_now: 2e3a1b3c0 cs_last: 0 mask: ffffffffffffffff\n" +
		"[ 5000.000000] tsc: Marking TSC unstable due to clocksource watchdog", []string{"acpi_pm advanced 123.3 ms", "the TSC advanced 5.17 s"}, TSCWrong},
	"an hpet of 24 MHz": {"bad-calibration", Machine{}, "[    0.000000] Linux version 5.4.0 (x)\n" +
		"[    0.000000] clocksource: hpet: mask: 0xffffffff max_cycles: 0xffffffff, max_idle_ns: 79635855245 ns\n" +
		"[    0.000000] tsc: Detected 2400.000 MHz processor\n" +
		"[  100.0] clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
		"[  100.0] clocksource: 'hpet' wd_now: 16e3600 wd_last: 0 mask: ffffffff\n" +
		"[  100.0] clocksource: 'tsc' cs_now: 8f0d1800 cs_last: 0 mask: ffffffffffffffff\n" +
		"[  100.0] tsc: Marking TSC unstable due to clocksource watchdog", []string{"hpet advanced 1 s", "the TSC advanced 1 s"}, TSCUnknown},
	"a TSC that was not in use":               {"unused-tsc", Machine{}, verdict + "clocksource: 'kvm-clock' wd_nsec: 504113713 wd_now: 838861f0c wd_last: 81a79f4db mask: ffffffffffffffff\nclocksource: 'tsc' cs_nsec: 489600636 cs_now: 18a01d7d86 cs_last: 1848b53691 mask: ffffffffffffffff\nclocksource: 'kvm-clock' (not 'tsc') is current clocksource.\ntsc: Marking TSC unstable due to clocksource watchdog", []string{"-2.88 %", "used kvm-clock before and after", "14.51 ms"}, TSCUnknown},
	"a TSC that was in use":                   {"clocks-disagree", Machine{}, verdict + "clocksource: 'kvm-clock' wd_nsec: 504113713 wd_now: 838861f0c wd_last: 81a79f4db mask: ffffffffffffffff\nclocksource: 'tsc' cs_nsec: 489600636 cs_now: 18a01d7d86 cs_last: 1848b53691 mask: ffffffffffffffff\nclocksource: 'tsc' is current clocksource.\ntsc: Marking TSC unstable due to clocksource watchdog", []string{"-2.88 %"}, TSCUnknown},
	"a wrong refinement, by grep clocksource": {"bad-refinement", Machine{}, "clocksource: tsc-early: mask: 0xffffffffffffffff max_cycles: 0x1e364fd1555, max_idle_ns: 440795316117 ns\ntsc: Refined TSC clocksource calibration: 2112.070 MHz\n" + verdict + "clocksource: 'hpet' wd_nsec: 499779371 wd_now: 1b89f6a wd_last: 14b6e8f mask: ffffffff\nclocksource: 'tsc' cs_nsec: 495991580 cs_now: 69bd43440 cs_last: 65d6391ef mask: ffffffffffffffff", []string{"By its first rate, 2.096 GHz"}, TSCWrong},
	"a laptop by its firmware":                {"clocks-disagree", Machine{}, "DMI: LENOVO 20KGS2AQ1A/20KGS2AQ1A, BIOS N23ET83W (1.58 ) 09/28/2022\n" + verdict + "clocksource: 'hpet' wd_nsec: 495412266 wd_now: 74b2d4c wd_last: 6def0b2 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 496288695 cs_now: 1a21e4cda2 cs_last: 19b1b24352 mask: ffffffffffffffff", []string{"disturbed a clock."}, TSCUnknown},
	"an interrupt before the check":           {"clocks-disagree", Machine{}, "Jun 02 09:54:06 kernel: hrtimer: interrupt took 287743313 ns\nJun 02 09:54:06 kernel: " + verdict + "clocksource: 'hpet' wd_now: 628dd7b wd_last: 5fef431 mask: ffffffff\nclocksource: 'tsc' cs_now: 254aa24747 cs_last: 25104a5bfd mask: ffffffffffffffff", []string{"held a CPU up between the two reads"}, TSCUnknown},
	"an interrupt 17 s before":                {"hpet-may-stop", Machine{}, "[   30.0] hrtimer: interrupt took 287743313 ns\n[   47.0] " + verdict + "clocksource: 'hpet' wd_now: 628dd7b wd_last: 5fef431 mask: ffffffff\nclocksource: 'tsc' cs_now: 254aa24747 cs_last: 25104a5bfd mask: ffffffffffffffff", []string{"stops while the package sleeps"}, TSCUnknown},
	"a slow read, and a later check": {"hpet-of-qemu", Machine{}, "[  504.568821] clocksource: timekeeping watchdog on CPU5: hpet read-back delay of 554880ns, attempt 4, coarse-grained skew check followed by re-initialization\n[  505.068593] " + verdict +
		"clocksource: 'hpet' wd_nsec: 499376790 wd_now: be2f200d wd_last: bb3522fe mask: ffffffff\nclocksource: 'tsc' cs_nsec: 498867307 cs_now: 103895c060a cs_last: 1034aea96ea mask: ffffffffffffffff\ntsc: Marking TSC unstable due to clocksource watchdog", []string{"An HPET of 100 MHz"}, TSCUnknown},
	"a pause that both count": {"watchdog-jumped", Machine{}, verdict + "clocksource: 'kvm-clock' wd_now: 9f7fd12d7b9 wd_last: 25fd713400f mask: ffffffffffffffff\nclocksource: 'tsc' cs_now: 17ecc61b7c15 cs_last: 5b2d10ee003 mask: ffffffffffffffff", []string{"2.4 GHz", "At that rate the clocks agree"}, TSCUnknown},
	"hpet against tsc": {"clocks-disagree", Machine{}, "[ 300.1] " + verdict +
		"clocksource: 'hpet' wd_nsec: 500000000 wd_now: 2 wd_last: 1 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 500900000 cs_now: 599161e1 cs_last: 1 mask: ffffffffffffffff", []string{"+0.18 %", "1800 ppm"}, TSCUnknown},
	"figures that contradict": {"clocks-disagree", Machine{}, "tsc: Detected 2000.000 MHz processor\n" + verdict +
		"clocksource: 'acpi_pm' wd_now: 36a003 wd_last: 0 mask: ffffff\nclocksource: 'tsc' cs_now: 77359400 cs_last: 0 mask: ffffffffffffffff", []string{"used another rate"}, TSCUnknown},
	"a skipped check before the mark": {"clocks-disagree", Machine{Kernel: "6.1.0"}, "clocksource: Long readout interval, skipping watchdog check: cs_nsec: 2897344852 wd_nsec: 2897356996\n" + verdict +
		"clocksource: 'hpet' wd_nsec: 503000000 wd_now: 2 wd_last: 1 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 520000000 cs_now: 5cfbb601 cs_last: 1 mask: ffffffffffffffff", []string{"+3.38 %"}, TSCUnknown},
	"a skipped check, and another reason": {"presumed-unsynchronized", Machine{}, "clocksource: Long readout interval, skipping watchdog check: cs_nsec: 2897344852 wd_nsec: 2897356996\ntsc: Marking TSC unstable due to TSCs unsynchronized", []string{"assumes"}, TSCUnknown},
	"a guest by its clock source":         {"xen-by-design", Machine{}, "clocksource: Switched to clocksource xen\ntsc: Marking TSC unstable due to TSCs unsynchronized", []string{"Xen guest"}, TSCUnknown},
	"only the mark":                       {"clocks-disagree", Machine{}, "tsc: Marking TSC unstable due to clocksource watchdog", []string{"does not have the figures of both"}, TSCUnknown},
	"a rate that only a wrap explains": {"watchdog-may-have-wrapped", Machine{}, "clocksource: timekeeping watchdog: Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
		"clocksource: 'acpi_pm' wd_now: 8d5199 wd_last: 60e92e mask: ffffff\nclocksource: 'tsc' cs_now: 1981c973dc9 cs_last: 1940283c820 mask: ffffffffffffffff", []string{"3.203 GHz", "wrapped once", "Otherwise the TSC jumped"}, TSCUnknown},
	"a PM timer that was read backwards": {"check-ran-late", Machine{}, "Clocksource tsc unstable (delta = -4679290018 ns)", []string{"4.679 s less", "if the watchdog is right"}, TSCUnknown},
	"a slow read without a mark":         {"watchdog-timed-out", Machine{}, "clocksource: timekeeping watchdog on CPU6: hpet read-back delay of 95000ns, attempt 1", []string{"nothing was switched"}, TSCUnknown},
	"a check that timed out":             {"watchdog-timed-out", Machine{}, "clocksource: Watchdog hpet read timed out. Readout sequence took: 312004ns", []string{"nothing was switched"}, TSCUnknown},
	"16 % slower":                        {"adjusted-beyond-limit", Machine{}, "Adjusting tsc more than 11% (5419175 vs 7179037)", []string{"tsc by -16.2 % (multiplier 5419175, nominal 6467601", "as before Linux 4.17"}, TSCUnknown},
	"16 % slower, with a known kernel":   {"adjusted-beyond-limit", Machine{Kernel: "5.13.0"}, "Adjusting tsc more than 11% (5419175 vs 7179037)", []string{"printed much. A guess: if the line comes again"}, TSCUnknown},
	"an HPET that stops": {"hpet-may-stop", Machine{CPU: "Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz", Kernel: "5.4.0-42-generic"}, verdict +
		"clocksource: 'hpet' wd_nsec: 323000000 wd_now: 764941 wd_last: 1 mask: ffffffff\nclocksource: 'tsc' cs_nsec: 481000000 cs_now: 41f3b241 cs_last: 1 mask: ffffffffffffffff", []string{"+48.9 %", "stops while the package sleeps"}, TSCUnknown},
	"an unknown CPU in C3":     {"halts-in-idle", Machine{}, "[ 18.7] ACPI: CPU0 (power states: C1[C1] C2[C2] C3[C3])\n[ 19.2] Clocksource tsc unstable (delta = -4679290018 ns)", []string{"A guess"}, TSCWrong},
	"a hang, and a late check": {"check-ran-late", Machine{}, "[ 18.7] watchdog: BUG: soft lockup - CPU#3 stuck for 22s!\n[ 19.2] Clocksource tsc unstable (delta = -4679290018 ns)", []string{"did nothing for seconds"}, TSCUnknown},
	"presumed":                 {"presumed-unsynchronized", Machine{}, "tsc: Marking TSC unstable due to TSCs unsynchronized", []string{"assumes"}, TSCUnknown},
	"another reason":           {"marked-unstable", Machine{}, "Marking TSC unstable due to Geode GX/LX", []string{`"Geode GX/LX"`}, TSCUnknown},
	"only what follows":        {"marked-unstable", Machine{}, "TSC found unstable after boot, most likely due to broken BIOS. Use 'tsc=unstable'.", []string{"not in this part"}, TSCUnknown},
	"gVisor":                   {"gvisor", Machine{}, "Starting gVisor...", []string{"sandbox"}, TSCUnknown},
	"TSC ADJUST":               {"tsc-adjust", Machine{Parameters: []string{"tsc=reliable"}}, "[Firmware Bug]: TSC ADJUST differs: CPU15 45960750 --> 78394770. Restoring", []string{"CPU 15", "tsc=reliable"}, TSCUnknown},
	"refused":                  {"override-refused", Machine{}, "Override clocksource tsc is not HRT compatible. Cannot switch while in HRT/NOHZ mode", []string{"refused"}, TSCUnknown},
	"steps of a second": {"stepped-again", Machine{}, "Nov 14 10:00:00 host chronyd[7]: System clock was stepped by -0.500000 seconds\nNov 14 10:00:32 host chronyd[7]: System clock was stepped by -0.500000 seconds\nNov 14 10:01:04 host chronyd[7]: System clock was stepped by -0.500000 seconds",
		[]string{"3 times, every 32 s", "1 s in all", "about 1.56 % (15625 ppm) fast"}, TSCUnknown},
	"steps of unknown size": {"stepped-again", Machine{}, "[ 58.0] systemd-journald[48]: Time jumped backwards, rotating.\n[ 90.0] systemd-journald[48]: Time jumped backwards, rotating.\n[ 90.5] systemd[1]: Time has been changed\n[ 122.0] systemd-journald[48]: Time jumped backwards, rotating.",
		[]string{"3 times, every 32 s", "A guess", "runs too fast"}, TSCUnknown},
	"steps both ways":            {"stepped-again", Machine{}, "Nov 14 10:00:00 host ntpd[7]: time reset +0.5 s\nNov 14 10:05:00 host ntpd[7]: time reset -0.5 s\nNov 14 10:10:00 host ntpd[7]: time reset +0.5 s", []string{"forwards and backwards", "two programs"}, TSCUnknown},
	"steps by two programs":      {"stepped-again", Machine{}, "Nov 14 10:00:00 host ntpd[7]: time reset +0.5 s\nNov 14 10:05:00 host vmtoolsd[8]: [timeSync] One time synchronization: stepping time.\nNov 14 10:10:00 host ntpd[7]: time reset +0.5 s", []string{"2 programs: ntpd and vmtoolsd"}, TSCUnknown},
	"a step at the start":        {"stepped", Machine{}, "Nov 14 10:00:00 host chronyd[7]: System clock was stepped by 3600.5 seconds", []string{"1 time"}, TSCUnknown},
	"wrong, and not stepped":     {"time-off", Machine{}, strings.Repeat("Mar 14 14:06:12 rpi chronyd[7]: System clock wrong by 1.044301 seconds\n", 3), []string{"chronyd found", "1.044 s behind"}, TSCUnknown},
	"BusyBox, fast":              {"time-off", Machine{}, "ntpd: reply from 192.0.2.62: offset:-44.923236 delay:0.002234 status:0x24 strat:2", []string{"ntpd found the wall clock 44.92 s ahead"}, TSCUnknown},
	"BusyBox, far behind":        {"time-off", Machine{}, "Jan  1 00:00:45 OpenWrt ntpd[7]: reply from 192.0.2.62: offset:+946684800.5 delay:0.002234", []string{"behind"}, TSCUnknown},
	"a router of Padavan":        {"stepped", Machine{}, "Jan  1 16:13:57 NTP Client: System time changed, offset: 189349226.626505s", []string{"1 time, by 2,192 days"}, TSCUnknown},
	"a level before the program": {"not-synchronized", Machine{}, "Mar 22 02:15:26.123456 switch INFO ntpd[25379]: kernel reports TIME_ERROR: 0x41: Clock Unsynchronized", []string{"as at its start"}, TSCUnknown},
	"a clock that jumps": {"ptp-jumped", Machine{}, "Sep 03 10:53:47 host ptp4l[307]: [5192.617] clockcheck: clock jumped backward or running slower than expected!\nSep 03 10:53:47 host ptp4l[307]: [5192.743] [ptp4l.0.config:6] clockcheck: clock jumped forward or running faster than expected!",
		[]string{"ptp4l found again and again"}, TSCUnknown},
	"clocks that jumped, a month apart": {"ptp-jumped", Machine{}, "Sep 03 10:53:47 host phc2sys[307]: [1.265] clockcheck: clock frequency changed unexpectedly!\nOct 19 10:53:47 host phc2sys[307]: [4000000.265] clockcheck: clock frequency changed unexpectedly!", []string{"phc2sys found that"}, TSCUnknown},
	"a clock that jumped once":          {"ptp-jumped", Machine{}, "phc2sys[1239.265]: clockcheck: clock frequency changed unexpectedly!", []string{"phc2sys found"}, TSCUnknown},
	"days apart": {"ptp-far", Machine{}, "phc2sys: [195231.451] CLOCK_REALTIME phc offset       169 s2 freq  -36377 delay   2294\n" +
		"phc2sys: [195232.451] CLOCK_REALTIME phc offset 195213702387037 s2 freq +100000000 delay   2301\nphc2sys: [195233.452] phc offset -195213591220495 s2 freq +100000000 delay   2081", []string{"off by 2.259 days"}, TSCUnknown},
	"time stamps that wrap": {"ptp-wrapped", Machine{}, "Sep 03 10:32:43 OpenIL ptp4l[263]: [3928.097] rms 949062658 max 2684354565 freq -25204 +/-  24 delay   634 +/-   0\n" +
		"Sep 03 10:32:45 OpenIL ptp4l[263]: [3930.103] rms   18 max   23 freq -25171 +/-   5 delay   634 +/-   0\nSep 03 10:32:46 OpenIL ptp4l[263]: [3931.106] rms 6074000998 max 17179869178 freq -25182 +/-   5 delay   633 +/-   0", []string{"multiples of 2^29 ns, the last 17.18 s"}, TSCUnknown},
	"a master that was never set": {"ptp-far", Machine{}, "ptp4l[2515.712]: master offset 1612345047363283513 s0 freq +100000000 path delay  26433466\nptp4l[2516.612]: master offset 1612345047263285185 s0 freq +100000000 path delay  26433466",
		[]string{"ahead of the clock that it follows", "clock that it follows is decades behind"}, TSCUnknown},
	"UTC in place of TAI":              {"ptp-far", Machine{}, "phc2sys[9.1]: CLOCK_REALTIME phc offset -37000012345 s2 freq +31000000 delay 853\nphc2sys[10.1]: CLOCK_REALTIME phc offset -36969012345 s2 freq +31000000 delay 853", []string{"steers its rate", "between TAI"}, TSCUnknown},
	"rows of chronyc without a header": {"servers-listed", Machine{}, "^? ntp1.example.net              0   6     0     -     +0ns[   +0ns] +/-    0ns\n^? ntp2.example.net              0   6     0     -     +0ns[   +0ns] +/-    0ns", []string{"selected none"}, TSCUnknown},
	"a server that waits":              {"servers-listed", Machine{}, "^- 192.0.2.62                    2   6    17    33   +104ms[ +149ms] +/-   24ms", []string{"waits for more samples"}, TSCUnknown},
	"rows beside the selected server":  {"status-synchronized", Machine{}, "^+ ntp1.example.net              2   6   377    21  -2629us[-2619us] +/-   86ms\n^? ntp2.example.net              0   6     0     -     +0ns[   +0ns] +/-    0ns", []string{"is synchronised"}, TSCUnknown},
	"no pulses":                        {"refclock-silent", Machine{}, "#? PPS0                          0   4     0     -     +0ns[   +0ns] +/-    0ns", []string{"reference clock PPS0", "ppstest"}, TSCUnknown},
	"no samples":                       {"no-samples", Machine{}, "Name/IP Address            NP  NR  Span  Frequency  Freq Skew  Offset  Std Dev\nntp1.example.net            0   0     0     +0.000   2000.000     +0ns  4000ms\nntp2.example.net           12   7   17m     +0.012      0.210   -104us   120us", []string{"no fault if the others have samples"}, TSCUnknown},
	"a late check without figures":     {"late-check", Machine{}, "kern: warning: clocksource: Long readout interval, skipping watchdog check", []string{"skipped it"}, TSCUnknown},
	"perf held a CPU":                  {"slow-interrupt", Machine{}, "hrtimer: interrupt took 501441082 ns\nINFO: NMI handler (perf_event_nmi_handler) took too long to run: 250.424 msecs", []string{"samples with perf or BPF"}, TSCUnknown},
	"a program that held CPUs": {"stalled", Machine{}, "[   96.142204] BUG: soft lockup - CPU#0 stuck for 22s! [mount.nfs:1403]\n[   96.142304] RIP: 0010:smp_call_function_many_cond+0x11e/0x4f0\n[   96.178270] BUG: soft lockup - CPU#3 stuck for 22s! [mount.nfs:1410]\n[  130.356610] RIP: 0010:other+0x1/0x2",
		[]string{"It ran mount.nfs, in the kernel's function smp_call_function_many_cond, which waits for another CPU"}, TSCUnknown},
	"a hang before an oops":         {"stalled", Machine{}, "[  1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [foo:9]\n[  1.9] BUG: unable to handle page fault\n[  2.1] RIP: 0010:bar+0x2/0x10", []string{"It ran foo."}, TSCUnknown},
	"an idle task of Linux 2.6":     {"stalled", Machine{}, "BUG: soft lockup - CPU#0 stuck for 61s! [swapper:0]\nBUG: soft lockup - CPU#1 stuck for 61s! [foo:9]", []string{"It ran foo."}, TSCUnknown},
	"an idle CPU that hung":         {"stalled", Machine{}, "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [swapper/0:0]", []string{"waited 26 s for CPU 0"}, TSCUnknown},
	"workqueues that hung":          {"workqueue-stalled", Machine{}, "BUG: workqueue lockup - pool cpus=0-1 flags=0x4 nice=0 stuck for 2530s!", []string{"2530 s"}, TSCUnknown},
	"a card's clock never set":      {"ptp-far", Machine{}, "phc2sys[2007.891]: CLOCK_REALTIME phc offset 1612345025660222532 s1 freq -1994 delay 480\nphc2sys[2008.891]: CLOCK_REALTIME phc offset 4 s2 freq -1990 delay 480", []string{"18,661 days ahead", "sets its clock back", "never set"}, TSCUnknown},
	"the flag, and a server's":      {"status-unsynchronized", Machine{}, "System clock synchronized: no\nLeap: normal", []string{"is not synchronised"}, TSCUnknown},
	"a lockup, glued":               {"stalled", Machine{}, "Watchdog detected hard LOCKUP on cpu 0dModules linked in:", []string{"CPU 0"}, TSCUnknown},
	"a stalled CPU, Linux 4":        {"stalled", Machine{}, "INFO: rcu_sched detected stalls on CPUs/tasks:\n\t2: (1 GPs behind) idle=\nTasks blocked on level-0 rcu_node (CPUs 0-7): P12", []string{"CPU 2"}, TSCUnknown},
	"the flag, before and after":    {"status-contradicts", Machine{}, "System clock synchronized: no\nSystem clock synchronized: yes", []string{"different times or machines"}, TSCUnknown},
	"adjtimex against chronyc":      {"status-contradicts", Machine{}, "return value: 5 (clock not synchronized)\n^* time1 2 6 377 33 +104us[ +149us] +/- 24ms", []string{"rtcsync"}, TSCUnknown},
	"cyclictest":                    {"cyclictest", Machine{}, "T: 0 (27877) P:80 I:10000 C:  10000 Min:     12 Act:   13 Avg:   16 Max:      66\nT: 1 (27878) P:80 I:10500 C:   9500 Min:     12 Act:   13 Avg:   16 Max:   20312", []string{"Max is the worst latency of each"}, TSCUnknown},
	"a counter of the A64":          {"counter-unsettled", Machine{}, "WARNING: CPU: 2 PID: 31 at drivers/clocksource/arm_arch_timer.c:364 sun50i_a64_read_cntpct_el0+0x2c/0x38", []string{"(sun50i_a64_read_cntpct_el0)"}, TSCUnknown},
	"a TSC that lost 44 %":          {"clocks-disagree", Machine{Kernel: "5.15.2"}, "[    0.930838] " + strings.ReplaceAll(verdict, "tsc'", "tsc-early'") + "[    0.930845] clocksource:                       'hpet' wd_nsec: 506667400 wd_now: 1913bc9 wd_last: cff48c mask: ffffffff\n[    0.930851] clocksource:                       'tsc-early' cs_nsec: 284910581 cs_now: 5b52e75f0 cs_last: 59d745a16 mask: ffffffffffffffff", []string{"as in a Core 2"}, TSCDoubted},
	"a Core 2 that lost 44 %":       {"tsc-may-have-stopped", Machine{Kernel: "5.15.2", CPU: "Intel(R) Core(TM)2 Duo CPU     U9400  @ 1.40GHz"}, "[    0.930838] " + strings.ReplaceAll(verdict, "tsc'", "tsc-early'") + "[    0.930845] clocksource:                       'hpet' wd_nsec: 506667400 wd_now: 1913bc9 wd_last: cff48c mask: ffffffff\n[    0.930851] clocksource:                       'tsc-early' cs_nsec: 284910581 cs_now: 5b52e75f0 cs_last: 59d745a16 mask: ffffffffffffffff", []string{"as it does in this CPU"}, TSCUnknown},
	"no time stamps":                {"ptp-fault", Machine{}, "ptp4l[9.402]: timed out while polling for tx timestamp\nptp4l[9.403]: port 1 (eth0): SLAVE to FAULTY on FAULT_DETECTED (FT_UNSPECIFIED)", []string{"raise tx_timestamp_timeout"}, TSCUnknown},
	"a link that is down":           {"ptp-fault", Machine{}, "ptp4l[9.403]: port 1: LISTENING to FAULTY on FAULT_DETECTED (FT_UNSPECIFIED)", []string{"its link is down"}, TSCUnknown},
	"no ptp4l":                      {"ptp-waiting", Machine{}, "2018-06-20T15:38:44.490543+00:00 host phc2sys: [1542.230] Waiting for ptp4l...", []string{"phc2sys waits for ptp4l"}, TSCUnknown},
	"wrong, and then stepped":       {"stepped", Machine{}, "Mar 14 14:06:12 rpi chronyd[7]: System clock wrong by 16.044301 seconds\nMar 14 14:06:28 rpi chronyd[7]: System clock was stepped by 16.044301 seconds", []string{"1 time"}, TSCUnknown},
	"no permission to step":         {"step-failed", Machine{}, "chronyd[7]: Could not step system clock\nchronyd[7]: System clock wrong by -3002385021.274820 seconds", []string{"34,750 days ahead, and could not step", "lacks the permission"}, TSCUnknown},
	"no permission to set the rate": {"step-failed", Machine{}, "Fatal error : adjtimex(0x8001) failed : Operation not permitted", []string{"lacks the permission"}, TSCUnknown},
	"servers that disagree":         {"servers-disagree", Machine{}, "Jul 17 04:19:32 host chronyd[7]: System clock wrong by -1946.984184 seconds, adjustment started\nJul 17 04:21:41 host chronyd[7]: Can't synchronise: no majority", []string{"chronyd found no majority"}, TSCUnknown},
	"ntpd at its start":             {"not-synchronized", Machine{}, "ntp_1 | 19 Jul 02:47:08 ntpd[1]: kernel reports TIME_ERROR: 0x41: Clock Unsynchronized", []string{"as at its start"}, TSCUnknown},
	"chronyd's own log":             {"stepped", Machine{}, "2021-05-25T18:41:40Z System clock was stepped by 31939.769192 seconds", []string{"8.872 h"}, TSCUnknown},
	"no server answers": {"servers-silent", Machine{}, "mars 10 13:12:16 host systemd-timesyncd[602]: Timed out waiting for reply from 192.0.2.62:123 (2.nixos.pool.ntp.org).\nmars 10 13:12:26 host systemd-timesyncd[602]: Timed out waiting for reply from 192.0.2.50:123 (2.nixos.pool.ntp.org).",
		[]string{"none answered", "UDP port 123"}, TSCUnknown},
	"servers that agree again": {"not-stepped", Machine{}, "Jul 17 04:19:32 host chronyd[7]: Can't synchronise: no majority\nJul 17 04:20:32 host chronyd[7]: System clock wrong by 19787.800190 seconds",
		[]string{"5.497 h behind"}, TSCUnknown},
	"an old kernel, a young CPU": {"clocks-disagree", Machine{Kernel: "3.10.0-1160.el7.x86_64", CPU: "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", Firmware: "Dell Inc. PowerEdge R640"}, "Clocksource tsc unstable (delta = -123456789 ns)",
		[]string{"A guess: the firmware set or disturbed a clock."}, TSCUnknown},
	"an old CPU":                       {"tsc-may-have-stopped", Machine{CPU: "Intel(R) Core(TM)2 Duo CPU T7100 @ 1.80GHz"}, "Clocksource tsc unstable (delta = -123456789 ns)", []string{"this CPU, an Intel(R) Core(TM)2"}, TSCUnknown},
	"a CPU of unknown age":             {"clocks-disagree", Machine{Kernel: "3.10.0"}, "Clocksource tsc unstable (delta = -123456789 ns)", []string{"Core 2"}, TSCUnknown},
	"a hoster's name":                  {"clocks-disagree", Machine{Firmware: "Hetzner vServer"}, "Clocksource tsc unstable (delta = 123456789 ns)", []string{"in a virtual machine, its host did"}, TSCUnknown},
	"chronyd in a terminal":            {"not-stepped", Machine{}, "06:47:04  System clock wrong by 19787.800190 seconds", []string{"chronyd found"}, TSCUnknown},
	"ntpdate's own log":                {"stepped", Machine{}, "23 May 12:33:36 ntpdate[124]: step time server 192.0.2.1 offset +3.445939 sec", []string{"3.446 s"}, TSCUnknown},
	"figures of a kernel under test":   {"weak-watchdog", Machine{}, "[    1.134197] " + strings.ReplaceAll(verdict, "tsc'", "tsc-early'") + "[    1.134214] clocksource: 'refined-jiffies' wd_nesc: 500000000 wd_now: ffff8b35 wd_last: ffff8b03 mask: ffffffff\n[    1.134217] clocksource: 'tsc-early' cs_nsec: 507537855 cs_now: 4e63c9d09 cs_last: 4bebd81f5 mask: ffffffffffffffff", []string{"500 ms", "507.5 ms"}, TSCUnknown},
	"far off, by chronyd -q":           {"stepped", Machine{}, "2026-09-08T01:47:38Z System clock wrong by 3600.002320 seconds (step)", []string{"1 time, by 3,600 s"}, TSCUnknown},
	"far off, and then stepped":        {"stepped", Machine{}, "chronyd[7]: System clock wrong by 31939.769192 seconds, adjustment started\nchronyd[7]: System clock was stepped by 31939.769192 seconds", []string{"1 time, by 8.872 h"}, TSCUnknown},
	"a step that failed, and another":  {"stepped", Machine{}, "chronyd[7]: Could not step system clock\nchronyd[7]: System clock was stepped by 3.5 seconds", []string{"1 time"}, TSCUnknown},
	"two steps in a terminal":          {"stepped", Machine{}, "03:04:30  System clock was stepped by 2.222625 seconds\n03:04:48  System clock was stepped by 1.725027 seconds", []string{"2 times"}, TSCUnknown},
	"a Xen guest without an RTC":       {"rtc-missing", Machine{Guest: true, Hypervisor: "xen"}, "hctosys: unable to open rtc device (rtc0)", []string{"gets the time from Xen"}, TSCUnknown},
	"a step of years":                  {"stepped", Machine{}, "chronyd[7]: System clock was stepped by 2998147245.000000 seconds", []string{"1 time, by 34,701 days", "or it has none"}, TSCUnknown},
	"a step of nine hours":             {"stepped", Machine{}, "chronyd[7]: System clock was stepped by -32398.026858 seconds", []string{"by 8.999 h", "read as UTC"}, TSCUnknown},
	"a year of no kernel, and a step":  {"rtc-unset", Machine{}, "[ 0.9] omap_rtc 44e3e000.rtc: setting system clock to 2000-01-01T00:00:00 UTC (946684800)\nsystemd[1]: System time before build time, advancing clock.", []string{"showed the year 2000"}, TSCUnknown},
	"a step every day":                 {"stepped", Machine{}, "Nov 14 10:00:00 host ntpd[7]: time reset +0.5 s\nNov 15 10:00:00 host ntpd[7]: time reset +0.5 s\nNov 16 10:00:00 host ntpd[7]: time reset +0.5 s", []string{"3 times"}, TSCUnknown},
	"a leap second in June 2013":       {"false-leap-second", Machine{}, "2013-07-01T01:59:59+02:00 host kernel: Clock: inserting leap second 23:59:60 UTC", []string{"not on that day"}, TSCUnknown},
	"a leap second of a young kernel":  {"false-leap-second", Machine{Kernel: "6.1.0-28-amd64"}, "[ 9.0] Clock: inserting leap second 23:59:60 UTC", []string{"younger"}, TSCUnknown},
	"a leap second that was deleted":   {"false-leap-second", Machine{}, "Clock: deleting leap second 23:59:59 UTC", []string{"ever deleted"}, TSCUnknown},
	"the leap second of 2015":          {"leap-second", Machine{}, "[Wed Jul  1 01:59:59 2015] Clock: inserting leap second 23:59:60 UTC", []string{"of 2015, as it should"}, TSCUnknown},
	"a leap second without a date":     {"leap-second", Machine{}, "Clock: inserting leap second 23:59:60 UTC", []string{"is not in the line"}, TSCUnknown},
	"an RTC that was not set":          {"rtc-unset", Machine{}, "rtc_cmos 00:03: hctosys: unable to read the hardware clock", []string{"battery"}, TSCUnknown},
	"an RTC in 1970, kernel unknown":   {"rtc-unset", Machine{}, "[    2.183697] snvs_rtc 20cc034.snvs-rtc-lp: setting system clock to 1970-01-01 00:00:00 UTC (0)", []string{"year 1970, but the kernel is from 2006 or later"}, TSCUnknown},
	"no RTC, time restored":            {"time-behind", Machine{}, "Apr 13 12:27:10 pi2 systemd-timesyncd[227]: System clock time unset or jumped backwards, restoring from recorded timestamp: Sun 2018-04-15 09:20:21 AEST", []string{"has no real-time clock"}, TSCUnknown},
	"an RTC in 2000":                   {"rtc-unset", Machine{Kernel: "5.15.0-91-generic"}, "[ 0.9] tegra_rtc 7000e000.rtc: setting system clock to 2000-01-01T00:00:09 UTC (946684809)", []string{"year 2000", "5.15.0"}, TSCUnknown},
	"across an hour":                   {"rtc-not-written", Machine{}, "Feb  3 10:30:38 host kernel: set_rtc_mmss: can't update from 59 to 0", []string{"tries again"}, TSCUnknown},
	"a step and back":                  {"stepped-and-back", Machine{}, "Jul  3 02:53:48 hst ntpd[1432]: time reset -10.407942 s\nJul  3 03:18:04 hst ntpd[1432]: time reset +10.403648 s", []string{"ntpd set the wall clock, and later set it back"}, TSCUnknown},
	"a step by hand":                   {"stepped", Machine{}, "Sep 19 08:09:19 t14 chronyd[329]: System clock wrong by 63297.185604 seconds\n20 Sep 10:46:30 ntpdate[4830]: step time server 192.0.2.1 offset +92854.955337 sec", []string{"A time service had found it wrong before", "makestep 1 -1"}, TSCUnknown},
	"a step by the host":               {"stepped", Machine{}, "Oct 03 19:52:41 x vmtoolsd[17119]: [timeSync] One time synchronization: stepping time.", []string{"to the time of the host"}, TSCUnknown},
	"set back by another program":      {"set-by-another", Machine{}, "Sep 14 03:15:02 host chronyd[7]: Backward time jump detected!\nSep 16 03:15:02 host chronyd[7]: Backward time jump detected!", []string{"another program"}, TSCUnknown},
	"set back once":                    {"jumped", Machine{}, "Sep 14 03:15:02 host chronyd[7]: Backward time jump detected!", []string{"a person"}, TSCUnknown},
	"jumps every minute":               {"set-by-another", Machine{}, "Sep 14 03:15:02 host chronyd[7]: Forward time jump detected!\nSep 14 03:16:02 host chronyd[7]: Forward time jump detected!\nSep 14 03:17:02 host chronyd[7]: Forward time jump detected!", []string{"again and again"}, TSCUnknown},
	"steps of summer and winter":       {"stepped", Machine{}, "Jul  3 02:53:48 hst chronyd[7]: System clock was stepped by -7200.1 seconds\nOct  3 02:53:48 hst chronyd[7]: System clock was stepped by 7199.9 seconds", []string{"has the local time"}, TSCUnknown},
	"steps months apart":               {"stepped", Machine{}, "Jul  3 02:53:48 hst ntpd[7]: time reset -3.4 s\nNov  3 02:53:48 hst ntpd[7]: time reset +3.5 s", []string{"2 times"}, TSCUnknown},
	"wrong again, servers disagree":    {"servers-disagree", Machine{}, "Nov 22 03:33:08 h chronyd[7]: System clock wrong by 2.999308 seconds\nNov 22 03:34:18 h chronyd[7]: System clock wrong by 2.033301 seconds\nNov 22 03:36:22 h chronyd[7]: System clock wrong by 2.145886 seconds\nNov 22 03:38:31 h chronyd[7]: System clock wrong by 2.625114 seconds\nNov 22 03:39:31 h chronyd[7]: Can't synchronise: no majority", []string{"contradict"}, TSCUnknown},
	"a jump forward, as by a suspend":  {"jumped", Machine{}, "Sep 14 03:15:02 host chronyd[7]: Forward time jump detected!\nSep 14 04:15:02 host chronyd[7]: Forward time jump detected!\nSep 14 05:15:02 host chronyd[7]: Forward time jump detected!", []string{"suspended or paused"}, TSCUnknown},
	"wrong again and again":            {"off-again", Machine{}, "2021-11-22T03:33:08Z reference.c:494:(maybe_log_offset) System clock wrong by 1.999308 seconds\n2021-11-22T03:35:18Z System clock wrong by 1.033301 seconds\n2021-11-22T03:36:22Z System clock wrong by 0.145886 seconds\n2021-11-22T03:38:31Z System clock wrong by 1.625114 seconds", []string{"again and again"}, TSCUnknown},
	"wrong, and better":                {"time-off", Machine{}, "2021-11-22T03:33:08Z System clock wrong by 1.999308 seconds\n2021-11-22T03:35:18Z System clock wrong by 1.033301 seconds\n2021-11-22T03:36:22Z System clock wrong by 0.545886 seconds\n2021-11-22T03:38:31Z System clock wrong by 0.125114 seconds", []string{"corrects it"}, TSCUnknown},
	"OpenNTPD after years":             {"slewing", Machine{}, "Jan  1 01:58:34 board ntpd[2825]: adjusting local clock by 524771176.459975s\nJan  1 02:08:12 board ntpd[2825]: adjusting local clock by 524771173.629277s", []string{"6,074 days off"}, TSCUnknown},
	"OpenNTPD, by more than glibc can": {"slewing", Machine{}, "nov. 21 19:32:26 jedha ntpd[770]: adjusting local clock by -32394.968842s\nnov. 21 19:32:26 jedha ntpd[770]: adjtime failed: Invalid argument", []string{"8.999 h off"}, TSCUnknown},
	"chronyc: not synchronised":        {"status-unsynchronized", Machine{}, "Leap status     : Not synchronised", []string{"chronyc"}, TSCUnknown},
	"chronyc: synchronised":            {"status-synchronized", Machine{}, "Frequency       : 31.098 ppm slow\nLeap status     : Normal", []string{"is synchronised"}, TSCUnknown},
	"PD of TiDB":                       {"peers-differ", Machine{}, "2018/04/02 15:41:05.716 log.go:81: [warning] rafthttp: [the clock difference against peer 682ae842439a75aa is too high [1m18.634509888s > 1s]]", []string{"by 1m18.634509888s"}, TSCUnknown},
	"chronyc: a rate of 3 %":           {"rate-far", Machine{}, "Frequency       : 31244.098 ppm slow", []string{"31244.098 ppm"}, TSCUnknown},
	"etcd":                             {"peers-differ", Machine{}, "2016-07-13 16:59:59.776094 W | rafthttp: the clock difference against peer 4e8d454852097618 is too high [12.407738276s > 1s]", []string{"by 12.407738276s"}, TSCUnknown},
	"Ceph":                             {"peers-differ", Machine{}, "2021-11-17T08:59:52.571594-0800 mon.pelican (mon.0) 55472 : cluster [WRN] 1 clock skew 0.283028s > max 0.05s", []string{"by 0.283028s"}, TSCUnknown},
	"CockroachDB":                      {"peers-differ", Machine{}, "x.log:F230807 23:34:17.522098 520 1@server/server.go:246 ⋮ [n4] 69  clock synchronization error: this node is more than 500ms away from at least half of the known nodes", []string{"by more than 500ms"}, TSCUnknown},
	"HikariCP":                         {"program-stopped", Machine{}, "2023-08-06 18:47:12.758  WARN 2272 --- [l-1 housekeeper] com.zaxxer.hikari.pool.HikariPool        : HikariPool-1 - Thread starvation or clock leap detected (housekeeper delta=1m6s828ms665µs608ns).", []string{"1m6s828ms665µs608ns", "no CPU"}, TSCUnknown},
	"Windows without a server":         {"free-running", Machine{}, "Source: Free-running System Clock", []string{"source Free-running System Clock"}, TSCUnknown},
	"Windows by its firmware":          {"free-running", Machine{}, "Source: Local CMOS Clock", []string{"source Local CMOS Clock"}, TSCUnknown},
	"timedatectl: no server":           {"status-without-server", Machine{}, "System clock synchronized: no\nServer: n/a (n/a)", []string{"timesyncd.conf"}, TSCUnknown},
	"interrupts of an RTC":             {"rtc-interrupts-lost", Machine{}, "Mar 15 09:53:04 typhoon kernel: rtc: lost some interrupts at 1024Hz.", []string{"/dev/rtc"}, TSCUnknown},
	"a TSC that stopped, HPET instead": {"tsc-may-have-stopped", Machine{}, "[   31.590808] Clocksource tsc unstable (delta = -1052658846 ns)\n[   31.594831] Time: hpet clocksource has been installed.", []string{"stops or slows down"}, ""},
	"ntpd in a container":              {"step-failed", Machine{}, "ntpd[216]: local_clock: ntp_loopfilter.c line 822: ntp_adjtime: Operation not permitted", []string{"ntpd could not step", "container"}, TSCUnknown},
	"ntpd slews in a container":        {"step-failed", Machine{}, "ntpd[216]: adj_systime: Operation not permitted", []string{"ntpd could not step"}, TSCUnknown},
	"an IOMMU that hangs":              {"iommu-stalled", Machine{}, "[  9.1] AMD-Vi: Completion-Wait loop timed out", []string{"the clocks are not at fault"}, TSCUnknown},
	"beside CoreFreq": {"tsc-jumped", Machine{}, "CoreFreq(5:11): Processor [ 8F_71] Architecture [Zen2/Matisse] SMT [12/12]\n" + verdict +
		"clocksource: 'hpet' wd_now: f1baae7b wd_last: dba9bd12 mask: ffffffff\nclocksource: 'tsc' cs_now: e9f7e273d9 cs_last: e990e55f88 mask: ffffffffffffffff", []string{"CoreFreq is loaded"}, TSCUnknown},
	"no RTC":     {"rtc-missing", Machine{}, ".../drivers/rtc/hctosys.c: unable to open rtc device (rtc0)", []string{"no real-time clock"}, TSCUnknown},
	"only ticks": {"only-ticks", Machine{}, "clocksource: Switched to clocksource jiffies", []string{"counts timer interrupts"}, TSCUnknown},
	"boots of a zgrep": {"rates-vary", Machine{}, "/var/log/kern.log.2.gz:Sep 11 07:03:06 host kernel: [    0.000000] tsc: Detected 2593.906 MHz processor\n/var/log/kern.log.1:Sep 12 07:03:06 host kernel: [    0.000000] tsc: Detected 2599.001 MHz processor\n" +
		"/var/log/kern.log:Sep 13 07:03:06 host kernel: [    0.000000] tsc: Detected 2593.900 MHz processor", []string{"from 2.594 GHz to 2.599 GHz: 1967 ppm apart"}, TSCUnknown},
	"no PM timer":                    {"pm-timer-off", Machine{}, "PM-Timer failed consistency check (0xffffff) - aborting.", []string{"does without it"}, TSCUnknown},
	"a fast PM timer":                {"pm-timer-rate", Machine{}, "PM-Timer running at invalid rate: 200% of normal - aborting.", []string{"found it at 200% of its rate", "does without it"}, TSCUnknown},
	"slower than the ticks":          {"halts-in-idle", Machine{}, "TSC appears to be running slowly. Marking it as unstable", []string{"three quarters"}, TSCWrong},
	"CPUs that the kernel set equal": {"tsc-skew-fixed", Machine{}, "BIOS BUG: CPU#2 improperly initialized, has -7358271 usecs TSC skew! FIXED.", []string{"-7358271 µs"}, TSCUnknown},
	"old Xen":                        {"xen-time-went-back", Machine{}, "clocksource/1: Time went backwards: ret=2fb7d6 delta=-5946000 shadow=2fb7 offset=1", []string{"CPU 1", "5.946 ms"}, TSCUnknown},
	"old Xen, centuries":             {"xen-time-went-back", Machine{}, "clocksource/1: Time went backwards: delta=-9223012651229942015 shadow=214463864019492 offset=796007077", []string{"CPU 1 was behind"}, TSCUnknown},
	"an interrupt of 28 µs":          {"lost-rtc-interrupts", Machine{}, "hrtimer: interrupt took 28038 ns\nhpet1: lost 318 rtc interrupts", []string{"does not deliver"}, TSCUnknown},
	"throttling":                     {"rt-throttling", Machine{}, "sched: RT throttling activated", []string{"Real-time programs"}, TSCUnknown},
	"a soft lockup":                  {"stalled", Machine{}, "watchdog: BUG: soft lockup - CPU#1 stuck for 2471s! [CPU 0/KVM:31664]", []string{"waited 2471 s for CPU 1"}, TSCUnknown},
	"an RCU stall in a function":     {"stalled", Machine{}, "Calibrating delay loop (skipped), value calculated using timer frequency.. 5192.28 BogoMIPS (lpj=10384576)\n[  100.0] rcu: INFO: rcu_sched self-detected stall on CPU\n[  100.0] rcu: \t1-....: (5249 ticks this GP) idle=79a/1/0x4 softirq=1/1 fqs=3\n[  100.0] \t(t=5250 jiffies g=2345 q=123)\n[  100.01] CPU: 1 UID: 0 PID: 9 Comm: kworker/1:2 Tainted: G W 6.12.1-arch1-1 #1\n[  100.02] pc : mmc_wait+0x10/0x20", []string{"5250 jiffies (21 s) for CPU 1", "It ran kworker/1:2, in the kernel's function mmc_wait."}, TSCUnknown},
	"an RCU stall, seen twice":       {"stalled", Machine{}, "[  100.0] INFO: rcu_sched detected stalls on CPUs/tasks: { 3} (detected by 0, t=15002 jiffies, g=9, c=8, q=1)\n[  280.0] INFO: rcu_sched detected stalls on CPUs/tasks: { 3} (detected by 0, t=60007 jiffies, g=9, c=8, q=1)", []string{"60007 jiffies (240 s) for"}, TSCUnknown},
	"a stall after an oops":          {"stalled", Machine{Firmware: "Dell Inc. OptiPlex 7010"}, "Oops: 0002 [#1] SMP NOPTI\nwatchdog: BUG: soft lockup - CPU#1 stuck for 22s! [foo:9]", []string{"a CPU hangs.", "Before, the kernel had met a fault"}, TSCUnknown},
	"ntpdate -q far off":             {"asked-far", Machine{}, "server 192.0.2.1, stratum 2, offset 3600.120012, delay 0.02856\n29 Nov 19:00:01 ntpdate[7]: step time server 192.0.2.1 offset 3600.120012 sec", []string{"which found the wall clock 3,600 s behind", "set nothing"}, TSCUnknown},
	"chronyd -Q":                     {"asked-far", Machine{}, "2026-09-08T01:47:38Z System clock wrong by -3600.002320 seconds (ignored)", []string{"3,600 s ahead"}, TSCUnknown},
	"sntp":                           {"asked-far", Machine{}, "2023-08-01 10:00:01.123456 (+0200) +3721.001234 +/- 0.012345 pool.ntp.org 192.0.2.1 s2 no-leap", []string{"sntp asked", "3,721 s behind"}, TSCUnknown},
	"chronyc tracking, slewing":      {"still-off", Machine{}, "Reference ID    : C0000201 (192.0.2.1)\nStratum         : 3\nSystem time     : 3601.123456789 seconds fast of NTP time\nLeap status     : Normal", []string{"3,601 s ahead all the same"}, TSCUnknown},
	"chronyc sources, far off":       {"still-off", Machine{}, "MS Name/IP address         Stratum Poll Reach LastRx Last sample\n^* 192.0.2.1                     2   6   377    33  +3601s[+3601s] +/-   24ms", []string{"3601s off all the same"}, TSCUnknown},
	"chronyd follows itself":         {"own-clock", Machine{}, "Reference ID    : 7F7F0101 ()\nStratum         : 10\nSystem time     : 0.000000000 seconds fast of NTP time\nLeap status     : Normal", []string{"and no time server"}, TSCUnknown},
	"chronyd's maxchange":            {"maxchange-exceeded", Machine{}, "chronyd[7]: Adjustment of 1234.567 seconds exceeds the allowed maximum of 1000.000 seconds (exiting)", []string{"1,235 s behind, more than"}, TSCUnknown},
	"ntpsec's panic":                 {"ntpd-ended", Machine{}, "ntpd[7]: CLOCK: Panic: offset too big: 3601.123", []string{"3,601 s behind"}, TSCUnknown},
	"a container":                    {"may-not-set", Machine{}, "date: cannot set date: Operation not permitted", []string{"CAP_SYS_TIME"}, TSCUnknown},
	"w32tm, no data":                 {"windows-silent", Machine{}, "Leap Indicator: 0(no warning)\nStratum: 3\nLast Sync Error: 1 (The computer did not resync because no time data was available.)", []string{"from no server"}, TSCUnknown},
	"w32tm, too big":                 {"windows-far", Machine{}, "Sending resync command to local computer\nThe computer did not resync because the required time change was too big.", []string{"far off, which is more than it corrects"}, TSCUnknown},
	"w32tm /stripchart":              {"windows-off", Machine{}, "Tracking dc1 [192.0.2.1:123].\n10:00:01, +421.0123567s", []string{"421 s behind"}, TSCUnknown},
	"w32tm /stripchart, no answer":   {"windows-silent", Machine{}, "Tracking dc1 [192.0.2.1:123].\n10:00:01, error: 0x800705B4", []string{"UDP port 123"}, TSCUnknown},
	"Ceph's health":                  {"peers-differ", Machine{}, "2024-03-10 10:00:01.123 mon.a (mon.0) 12 : cluster [WRN] Health check failed: clock skew detected on mon.b (MON_CLOCK_SKEW)", nil, TSCUnknown},
	"Ceph that agrees again":         {"peers-agree-again", Machine{}, "2024-03-10 10:00:01.123 mon.a (mon.0) 12 : cluster [WRN] Health check failed: clock skew detected on mon.b (MON_CLOCK_SKEW)\n2024-03-10 10:05:01.123 mon.a (mon.0) 19 : cluster [INF] Health check cleared: MON_CLOCK_SKEW (was: clock skew detected on mon.b)", nil, TSCUnknown},
	"Slurm":                          {"time-doubted", Machine{}, "slurmd: error: Munge decode failed: Rewound credential", []string{"munge compared"}, TSCUnknown},
	"tar":                            {"file-times", Machine{}, "tar: a/b: time stamp 2022-03-10 10:00:01 is 3601.123456 s in the future", nil, TSCUnknown},
	"a guest of another host":        {"tsc-of-another-host", Machine{}, "qemu-system-x86_64: warning: TSC frequency mismatch between VM (2593906 kHz) and host (2394374 kHz), and TSC scaling unavailable", []string{"2593906 kHz", "2394374 kHz"}, TSCUnknown},
	"a real-time clock of Windows":   {"rtc-off-by-zone", Machine{}, "Universal time: Sun 2026-11-29 09:00:00 UTC\nRTC time: Sun 2026-11-29 11:01:13", []string{"ahead of the wall clock", "RealTimeIsUniversal"}, TSCUnknown},
	"ntpdate without an answer":      {"no-answer", Machine{}, "server 192.0.2.1, stratum 0, offset 0.000000, delay 0.00000\n29 Nov 19:00:01 ntpdate[7]: no server suitable for synchronization found", []string{"UDP port 123"}, TSCUnknown},
	"apt, the form of Docker":        {"time-refused", Machine{}, "W: Failed to fetch http://x/InRelease  Release file for http://x/InRelease is not valid yet (invalid for another 12h 3min 4s). Updates will not be applied.", []string{"at least 12h 3min 4s behind"}, TSCUnknown},
	"curl":                           {"valid-later", Machine{}, "curl: (60) SSL certificate problem: certificate is not yet valid", []string{"this clock is behind"}, TSCUnknown},
	"Java's certificates":            {"valid-later", Machine{}, "Caused by: java.security.cert.CertificateNotYetValidException: NotBefore: Thu Mar 10 10:00:01 CET 2022", []string{"this clock is behind"}, TSCUnknown},
	"wget":                           {"valid-later", Machine{}, "ERROR: The certificate of 'x.example' is not yet activated.", nil, TSCUnknown},
	"AWS, a signature":               {"time-refused", Machine{}, "An error occurred (SignatureDoesNotMatch): Signature not yet current: 20220310T110001Z is still later than 20220310T100501Z (20220310T100001Z + 5 min.)", []string{"3,600 s ahead"}, TSCUnknown},
	"Binance":                        {"time-doubted", Machine{}, "APIError(code=-1021): Timestamp for this request is outside of the recvWindow.", []string{"or the request came late"}, TSCUnknown},
	"Ethereum":                       {"time-refused", Machine{}, "WARN [03-10|10:00:01.123] System clock seems off by -1m2.345s, which can prevent network connectivity", []string{"off by -1m2.345s"}, TSCUnknown},
	"Tor":                            {"time-refused", Machine{}, "[warn] Our clock is 2 hours, 3 minutes behind the time published in the consensus network status document", []string{"clock is 2 hours, 3 minutes behind"}, TSCUnknown},
	"Java's Kerberos":                {"time-refused", Machine{}, "javax.security.auth.login.LoginException: Clock skew too great (37) - PREAUTH_FAILED", []string{"5 minutes"}, TSCUnknown},
	"Nagios":                         {"asked-far", Machine{}, "NTP CRITICAL: Offset 12.34567 secs|offset=12.345", []string{"12.35 s behind"}, TSCUnknown},
	"Nagios without an answer":       {"no-answer", Machine{}, "NTP CRITICAL: No response from NTP server", []string{"check_ntp_time got"}, TSCUnknown},
	"Hazelcast, back":                {"went-back", Machine{}, "System clock apparently jumped from 2018-02-07 09:50:11.633 to 2018-02-07 09:45:27.282 since last heartbeat (-289351 ms)", []string{"gone back"}, TSCUnknown},
	"Dovecot, again":                 {"went-back", Machine{}, "Mar 10 10:00:01 pi dovecot: Fatal: Time just moved backwards by 3600 seconds. x\nMar 11 10:00:01 pi dovecot: Fatal: Time just moved backwards by 3600 seconds. x", []string{"found 2 times that"}, TSCUnknown},
	"ClickHouse, old":                {"slow-source", Machine{ClockSource: "kvm-clock"}, "Linux is not using a fast clock source. Performance can be degraded.", []string{"kvm-clock is fast"}, TSCUnknown},
	"an alert of Prometheus":         {"node-alert", Machine{}, "message: Clock on db1:9100 is out of sync by more than 0.05s. Ensure NTP is configured correctly on this host.", []string{"the kernel of db1:9100"}, TSCUnknown},
	"WSL without a service":          {"container-follows-host", Machine{Kernel: "5.15.153.1-microsoft-standard-WSL2"}, "systemd[1]: chrony.service - chrony, an NTP client/server was skipped because of an unmet condition check (ConditionVirtualization=!container).", []string{"wsl --shutdown"}, TSCUnknown},
	"a container without a service":  {"container-follows-host", Machine{}, "systemd[1]: chrony.service - chrony, an NTP client/server was skipped because of an unmet condition check (ConditionCapability=CAP_SYS_TIME).", nil, TSCUnknown},
	"Celery":                         {"times-differ", Machine{}, "Substantial drift from celery@host may mean clocks are out of sync.  Current drift is 3600 seconds.  [orig: x]", []string{"found 3600 seconds", "time zone"}, TSCUnknown},
	"phc2sys without an offset":      {"ptp-ended", Machine{}, "phc2sys[1.0]: time offset must be specified using -w or -O", []string{"phc2sys ended"}, TSCUnknown},
	"phc2sys in a container":         {"step-failed", Machine{}, "phc2sys[1.000]: failed to step clock: Operation not permitted", []string{"phc2sys could not step"}, TSCUnknown},
	"DNSSEC":                         {"valid-later", Machine{}, "unbound[7:0] info: validation failure <ntp.org. A IN>: signature before inception date", []string{"this clock is behind"}, TSCUnknown},
	"a field of a log":               {"time-refused", Machine{}, `time="2023-03-14T07:28:17Z" level=error msg="x509: certificate has expired or is not yet valid: current time 2023-03-14T07:28:17Z is before 2023-03-15T18:37:13Z"`, []string{"behind"}, TSCUnknown},
	"an error in JSON":               {"time-refused", Machine{}, `{"level":"error","msg":"failed","error":"Get \"https://x/\": x509: certificate has expired or is not yet valid: current time 2023-03-14T07:28:17Z is before 2023-03-15T18:37:13Z"}`, []string{"behind"}, TSCUnknown},
	"w32tm in Polish":                {"status-synchronized", Machine{}, "Identyfikator odwołania: 0xC0000201 (źródło IP:  192.0.2.1)", nil, TSCUnknown},
	"Icinga":                         {"went-back", Machine{}, "[2022-03-10 10:00:01 +0100] warning/Checkable: We jumped backward in time: 7135.15 seconds", nil, TSCUnknown},
	"fsck of a board":                {"time-behind-mount", Machine{}, "systemd-fsck[7]: Superblock last mount time is in the future.", []string{"local time"}, TSCUnknown},
	"a real-time clock, in Chinese":  {"rtc-differs", Machine{}, "Universal time: 四 2022-03-10 02:00:01 UTC\nRTC time: 六 2000-01-01 00:00:12", []string{"behind"}, TSCUnknown},
	"ntpdate -d":                     {"asked-far", Machine{}, "filter offset: -13.2181 -13.2192 -13.2182 -13.2182\n 8 Sep 17:47:51 ntpdate[9348]: step time server 129.132.2.21 offset -13.218257 sec", []string{"13.22 s ahead", "set nothing"}, TSCUnknown},
	"a step, and later a query":      {"stepped", Machine{}, "8 Sep 17:47:51 ntpdate[9]: step time server 192.0.2.1 offset -13.218257 sec\nserver 192.0.2.1, stratum 2, offset -0.000312, delay 0.02856", []string{"13.22 s"}, TSCUnknown},
	"a stripchart that changes":      {"windows-off", Machine{}, "19:37:25, +09.9981224s\n19:37:27, +09.1695564s\n19:37:30, +08.3463858s", []string{"changes from row to row"}, TSCUnknown},
	"old ntpd follows itself":        {"own-clock", Machine{}, "Dec 11 10:00:01 host ntpd[7]: synchronized to LOCAL(0), stratum 10", []string{"ntpd follows the clock of this machine"}, TSCUnknown},
	"w32tm, and later a source":      {"status-synchronized", Machine{}, "Leap Indicator: 0(no warning)\nSource: Local CMOS Clock\nLeap Indicator: 0(no warning)\nReferenceId: 0xC0000201 (source IP:  192.0.2.1)\nSource: time.nist.gov", nil, TSCUnknown},
	"Elasticsearch, both clocks":     {"program-stopped", Machine{}, "timer thread slept for [1.3m/80947ms] on absolute clock\ntimer thread slept for [1.3m/80947ms] on relative clock", []string{"no clock jumped"}, TSCUnknown},
	"Elasticsearch, the wall clock":  {"program-stopped", Machine{}, "timer thread slept for [1.3m/80947ms] on absolute clock", []string{"was set forward"}, TSCUnknown},
	"a server of stratum 16":         {"no-answer", Machine{}, "server 192.0.2.1, stratum 16, offset 0.000012, delay 0.02574\n29 Nov 19:00:01 ntpdate[7]: no server suitable for synchronization found", []string{"itself not synchronised (stratum 16)"}, TSCUnknown},
	"ntpd without its drift file":    {"drift-file", Machine{}, "ntpd[7]: frequency file /etc/ntp/drift.TEMP: Permission denied", nil, TSCUnknown},
	"no real-time clock":             {"rtc-missing", Machine{}, "RTC time: n/a", []string{"Linux found no"}, TSCUnknown},
	"ntpd of FreeBSD":                {"ntpd-ended", Machine{}, "Aug 6 08:33:12 host ntpd[89549]: Clock offset exceeds panic threshold.", []string{"far off and ended itself"}, TSCUnknown},
	"tailscale":                      {"program-stopped", Machine{}, "tailscaled[7]: monitor: time jumped (probably wake from sleep); synthesizing major change event", nil, TSCUnknown},
	"w32tm, alarm":                   {"windows-silent", Machine{}, "Sprungindikator: 3(nicht synchronisiert)\nQuelle: time.windows.com,0x8", []string{"UDP port 123"}, TSCUnknown},
	"Dovecot":                        {"went-back", Machine{}, "dovecot: master: Warning: Time moved backwards by 0.123 seconds, waiting for 1 secs", []string{"gone back (0.123 seconds)"}, TSCUnknown},
	"Snowflake":                      {"went-back", Machine{}, "java.lang.RuntimeException: Clock moved backwards.  Refusing to generate id for 5000 milliseconds", []string{"gone back:"}, TSCUnknown},
	"Erlang":                         {"monotonic-back", Machine{}, "2021-02-03 OS monotonic time stepped backwards!", []string{"no step of the wall clock"}, TSCUnknown},
	"corosync":                       {"program-stopped", Machine{}, "Mar 04 10:11:12 n1 corosync[9]:   [MAIN  ] Corosync main process was not scheduled (@1646902801123) for 12345.6789 ms (threshold is 800.0000 ms)", []string{"12345.6789 ms"}, TSCUnknown},
	"Akka":                           {"program-stopped", Machine{}, "Scheduled sending of heartbeat was delayed. Previous heartbeat was sent [2345] ms ago", []string{"2345"}, TSCUnknown},
	"HBase":                          {"program-stopped", Machine{}, "WARN  [regionserver] util.Sleeper: We slept 17654ms instead of 3000ms, this is likely due to a long garbage collecting pause", []string{"17654ms"}, TSCUnknown},
	"Neo4j":                          {"program-stopped", Machine{}, "Detected VM stop-the-world pause: {pauseTime=205, gcTime=214}", []string{"205"}, TSCUnknown},
	"Hazelcast":                      {"program-stopped", Machine{}, "System clock apparently jumped from 2022-03-10 10:00:01.123 to 2022-03-10 10:01:01.123 since last heartbeat (+55000 ms)", []string{"+55000 ms"}, TSCUnknown},
	"Ceph's monitors":                {"peers-differ", Machine{}, "mon.b@1(peon).paxos lease_expire from mon.0 was stamped 0.123456s in the future, clocks not synchronized", []string{"0.123456s"}, TSCUnknown},
	"YARN":                           {"peers-differ", Machine{}, "Note: System times on machines may be out of sync. Check system time and time zones.", nil, TSCUnknown},
	"Oracle":                         {"peers-differ", Machine{}, "[ctssd(9)]CRS-2409: The clock on host rac1 is not synchronous with the mean cluster time.", nil, TSCUnknown},
	"ClickHouse":                     {"slow-source", Machine{}, "Warnings: * Linux is not using a fast TSC clock source. Performance can be degraded.", []string{"timebench doctor"}, TSCUnknown},
	"an RTC without power":           {"rtc-unset", Machine{}, "rtc-isl1208 0-006f: rtc power failure detected, please set clock.", []string{"no valid time"}, TSCUnknown},
	"an RTC whose crystal stopped":   {"rtc-unset", Machine{}, "rtc-bq32k 0-0068: Oscillator Failure. Check RTC battery.", nil, TSCUnknown},
	"an RTC with a wrong date":       {"rtc-unset", Machine{}, "rtc-pcf2123 spi0.0: clock was stopped. Time is not valid", nil, TSCUnknown},
	"an RTC that must be set":        {"rtc-unset", Machine{}, "rtc-stm32 5c004000.rtc: Date/Time must be initialized", nil, TSCUnknown},
	"an RTC with a low battery":      {"rtc-battery", Machine{}, "rtc-rv8803 0-0032: Voltage low, temperature compensation stopped.", []string{"Replace the battery"}, TSCUnknown},
	"no RTC at its address":          {"rtc-driver", Machine{}, "rtc-ds1307: probe of 1-0068 failed with error -121", []string{"i2cdetect"}, TSCUnknown},
	"an RTC whose bus fails":         {"rtc-driver", Machine{}, "rtc-pcf8563 0-0051: pcf8563_read_block_data: read error", []string{"i2cdetect"}, TSCUnknown},
	"an RTC of 2097":                 {"rtc-unset", Machine{}, "rtc_cmos 00:01: setting system clock to 2097-08-22T17:02:18 UTC (4027323738)", []string{"2097, which is in the future"}, TSCUnknown},
	"no RTC in a PC":                 {"rtc-missing", Machine{}, "rtc_cmos 00:03: broken or not accessible", []string{"no real-time clock"}, TSCUnknown},
	"an old soft lockup":             {"stalled", Machine{}, "BUG: soft lockup detected on CPU#0!", []string{"waited seconds for CPU 0"}, TSCUnknown},
	"an old hard lockup":             {"stalled", Machine{}, "NMI Watchdog detected LOCKUP on CPU1, eip c0123456, registers:", []string{"CPU 1"}, TSCUnknown},
	"an old stall":                   {"stalled", Machine{}, "INFO: RCU detected CPU 1 stall (t=4294904015/1000 jiffies)", []string{"1000 jiffies", "CPU 1"}, TSCUnknown},
	"a lockup of 135 years":          {"sched-clock-jumped", Machine{}, "BUG: soft lockup - CPU#1 stuck for 4278190091s! [foo:9]", []string{"which cannot be"}, TSCUnknown},
	"no timer interrupt":             {"no-timer-interrupt", Machine{}, "Kernel panic - not syncing: IO-APIC + timer doesn't work!  Boot with apic=debug and send a report.", []string{"noapic"}, TSCUnknown},
	"the TSC, off by notsc":          {"set-by-parameter", Machine{}, "tsc: Marking TSC unstable due to boot parameter notsc", []string{"switches the TSC off: notsc"}, TSCUnknown},
	"lost ticks, and why":            {"lost-ticks", Machine{}, "TSC cannot be used as a timesource. (Are you running with SpeedStep?)", nil, TSCUnknown},
	"no RTC by hwclock":              {"rtc-missing", Machine{}, "hwclock: Cannot access the Hardware Clock via any known method.", nil, TSCUnknown},
	"an RTC that is read-only":       {"rtc-driver", Machine{}, "hwclock: ioctl(RTC_SET_TIME) to /dev/rtc0 to set the time failed: Invalid argument", []string{"set or start it"}, TSCUnknown},
	"BusyBox' hwclock":               {"rtc-unset", Machine{}, "hwclock: RTC_RD_TIME: Invalid argument", nil, TSCUnknown},
	"systemd 254":                    {"time-behind", Machine{}, "systemd[1]: System time advanced to built-in epoch: Thu 2025-07-31 14:32:25 UTC", []string{"in the past"}, TSCUnknown},
	"systemd, an RTC in local time":  {"rtc-local", Machine{}, "systemd[1]: RTC configured in localtime, applying delta of 540 minutes to system time.", []string{"local time"}, TSCUnknown},
	"hangcheck":                      {"stalled", Machine{}, "Hangcheck: hangcheck value past margin!", []string{"waited seconds"}, TSCUnknown},
	"a warning of the kernel":        {"kernel-warning", Machine{}, "WARNING: CPU: 0 PID: 654 at kernel/time/timekeeping.c:843 ktime_get+0x28/0x78", []string{"ktime_get, kernel/time/timekeeping.c:843"}, TSCUnknown},
	"a hot CPU":                      {"overheated", Machine{}, "mce: CPU6: Package temperature above threshold, cpu clock throttled (total events = 1)", nil, TSCUnknown},
	"Erlang, with the TSC":           {"monotonic-back", Machine{}, "clocksource: Switched to clocksource tsc\nOS monotonic time stepped backwards!", nil, TSCWrong},
	"a guest of Linux 4.15":          {"unused-tsc", Machine{}, "clocksource: Switched to clocksource kvm-clock\n" + verdict + "clocksource: 'kvm-clock' wd_now: b61df70527 wd_last: b5ff72e7d3 mask: ffffffffffffffff\nclocksource: 'tsc' cs_now: 1915e3e8a70 cs_last: 190f92c9366 mask: ffffffffffffffff", []string{"used kvm-clock before and after", "until the next boot."}, TSCUnknown},
	"a counter that is not used":     {"counter-failed", Machine{}, "arch_timer: frequency not available\nclocksource: Switched to clocksource jiffies", []string{"(arch_timer: frequency not available)"}, TSCUnknown},
	"ftrace":                         {"trace-clock", Machine{}, "Unstable clock detected, switching default tracing clock to \"global\"", nil, TSCUnknown},
	"pm_trace":                       {"pm-trace", Machine{}, "PM: Enabling pm_trace changes system date and time during resume.", nil, TSCUnknown},
	"a battery, and no loss":         {"rtc-battery", Machine{}, "rtc-pcf2127 1-0051: low voltage detected, check/replace RTC battery.", nil, TSCUnknown},
	"in step at 6 %":                 {"ptp-rate", Machine{}, "phc2sys[7.1]: eth0 sys offset -7 s2 freq +62509748 delay 853\nphc2sys[8.1]: eth0 sys offset -8 s2 freq +62509748 delay 853\nphc2sys[9.1]: eth0 sys offset -9 s2 freq +62509748 delay 853", []string{"+62509748 ppb"}, TSCUnknown},
	"chrony's tracking.log":          {"rate-far", Machine{}, "2021-11-22 06:33:31 162.159.200.123  4 -31740.182    251.734  4.075e-01 N  3  1.322e-01  1.370e+00", []string{"-31740.182 ppm"}, TSCUnknown},
	"old Xen, an overflow":           {"xen-time-went-back", Machine{}, "clocksource/1: Time went backwards: delta=-9223012651229942015 shadow=1 offset=7", []string{"jumped by centuries"}, TSCUnknown},
	"dates that go back":             {"dates-back", Machine{}, "Feb 15 11:35:08 (the dates of the lines go back by 8 h)", []string{"go back by 8 h"}, TSCUnknown},
	"a timer that did not run":       {"stalled", Machine{}, "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\nrcu: \tPossible timer handling issue on cpu=4 timer-softirq=1303", []string{"A timer of CPU 4 was due"}, TSCUnknown},
	"a stall":                        {"stalled", Machine{}, "rcu: INFO: rcu_preempt self-detected stall on CPU", []string{"no fault of the clocks"}, TSCUnknown},
	"a late update":                  {"late-update", Machine{}, "timekeeping: Cycle offset (7894239013655) is larger than allowed by the 'xen' clock's max_cycles value (1980704062856): time overflow danger\ntimekeeping: Your kernel is sick, but tries to cope by capping time updates", []string{"was paused", "or the clock source jumped"}, TSCUnknown},
	"late ticks":                     {"late-ticks", Machine{}, "time.c: Lost 1 timer tick(s)! rip __do_softirq+0x4f/0xd0)", []string{"added them"}, TSCUnknown},
	"a rate that ntpd refuses":       {"rate-beyond-limit", Machine{}, "ntpd[7]: frequency error 603 PPM exceeds tolerance 500 PPM", []string{"ntpd finds", "603 PPM"}, TSCUnknown},
	"a test of the watchdog":         {"watchdog-test", Machine{}, "clocksource: clocksource_watchdog_inject_delay(): Injecting delay.\n" + slowTimer + "tsc: Marking TSC unstable due to clocksource watchdog", []string{"on purpose"}, TSCUnknown},
	"reliable, without figures":      {"parameter-ignored", Machine{Kernel: "4.18.0", Parameters: []string{"tsc=reliable"}}, strings.ReplaceAll(verdict, "tsc'", "tsc-early'"), []string{"before 5.4 also ignores"}, TSCUnknown},
}

func TestPlantedLogs(t *testing.T) {
	seen := map[string]bool{"stamps-go-back": true} // TestStampsThatGoBack
	for _, lines := range logsOf(t) {
		for _, kind := range kinds(Explain(Parse(lines), Machine{})) {
			seen[kind] = true
		}
	}
	for name, p := range plantedLogs {
		t.Run(name, func(t *testing.T) {
			causes := Explain(Parse(strings.Split(p.log, "\n")), p.machine)
			require.NotEmpty(t, causes)
			for _, c := range causes {
				seen[c.Kind] = true
			}
			require.Equal(t, p.kind, causes[0].Kind, causes[0].Text)
			for _, text := range p.has {
				require.Contains(t, causes[0].Text, text)
			}
			require.Equal(t, p.tsc, causes[0].TSC)
			require.True(t, causes[0].Harmless || causes[0].Title != "", "no title")
			require.NotEmpty(t, causes[0].Evidence, "no line shows it")
		})
	}
	for _, r := range slices.Concat(reasons(), otherRules()) {
		for _, f := range r.Fields {
			first, _, _ := strings.Cut(f.Value, " ")
			isKind := func(format *format) bool { return format.kind == first && strings.Contains(first, "-") }
			require.False(t, f.Key != "lines" && slices.ContainsFunc(formats(), isKind), "%s: %q: a key with its facts is on one line", r.Name, f.Value)
		}
		require.True(t, seen[r.kind], "%s: add a log to the cases, or to plantedLogs, that shows this cause", r.kind)
	}
}

// A time service in its usual work logs no cause. A server that answers ntpdate is no silent one.
func TestTimeServicesThatAreWell(t *testing.T) {
	for _, line := range []string{
		"Jan  1 01:58:34 board ntpd[2825]: adjusting local clock by 1.171237s", "Frequency       : 31.098 ppm slow",
		"ntpd[2825]: peer 192.0.2.1 now valid", "Universal time: Sun 2026-11-29 09:00:00 UTC\nRTC time: Sun 2026-11-29 09:00:01",
		"System time     : 0.000012345 seconds fast of NTP time", "10:00:01, d:+00.0312500s o:+00.0123567s  [          *         ]",
		"10:00:01, +02.0123567s", "- alert: NodeClockSkewDetected",
		"server 192.0.2.1, stratum 2, offset 3600.120012, delay 0.02856\nchronyd[7]: System clock was stepped by 3600.120012 seconds",
		"ntpd[7]: synchronized to LOCAL(0), stratum 10\nntpd[7]: synchronized to 192.0.2.1, stratum 2",
		"systemd[1]: Check of mountpoint was skipped because of an unmet condition check (ConditionVirtualization=!container).",
		"The certificate is not yet valid if the field notBefore lies in the future",
		"System time     : 0.000012345 seconds slow of NTP time\nmx postfix/smtp[1]: certificate verification failed for mx.example.com: certificate is not yet valid",
		"etcd[602]: the clock difference against peer 4e8d454852097618 is too high [1.4s > 1s]\nchronyd[300]: System clock was stepped by 1.402345 seconds",
		"chronyd[7]: Can't synchronise: no majority\nchronyd[7]: Selected source 192.0.2.1",
		"2023-08-01 10:00:01.123456 (+0200) -0.001234 +/- 0.012345 pool.ntp.org 192.0.2.1 s2 no-leap",
		"server 192.0.2.1, stratum 2, offset -0.000312, delay 0.02856\n29 Nov 19:00:01 ntpdate[7]: step time server 192.0.2.1 offset 0.000312 sec",
		"chronyd[7]: System clock wrong by -0.000123 seconds (ignored)", "NTP OK: Offset -0.000123 secs|offset=-0.000123s;60;120;",
		"T: 0 (27877) P:80 I:10000 C:  10000 Min:     12 Act:   13 Avg:   16 Max:      66",
		"Universal time: Sun 2026-11-29 09:00:00 UTC\nRTC time: Sat 2000-01-01 00:00:00\nUniversal time: Sun 2026-11-29 09:01:00 UTC\nRTC time: Sun 2026-11-29 09:01:00",
		"Universal time: Sun 2026-11-29 06:00:00 UTC\nTime read from Hardware Clock: 2026/11/29 06:08:07", // of two commands
		"The time service has detected that the system time needs to be changed by +86400 seconds.\nThe time service has set the time with offset 86400 seconds.",
		"00:00:01.016484 timesync vgsvcTimeSyncWorker: Guest: - 2016-02-25T23:29:17Z => 424 598 418 000 ns drift\n00:59:11.016484 timesync vgsvcTimeSyncWorker: Guest: - 2016-02-26T00:29:17Z => 1 418 000 ns drift",
		"nslcd[811]: Timed out waiting for reply from ldap1\nnamed[900]: timed out waiting for reply from 192.0.2.53",
		"NtpClient was unable to set a manual peer to use as a time source\nThe time service is now synchronizing the system time with the time source dc1",
		"ntpd[794]: time correction of 1537 seconds exceeds sanity limit (1000); set clock\nntpd[900]: ntpd: time set +1537.212001 s",
		"chronyd[7]: Can't synchronise: no selectable sources\nchronyd[7]: Selected source 192.0.2.62",
		strings.Repeat("phc2sys[1.0]: phc offset    905000 s2 freq  +90000 delay   1340\n", 12) + "phc2sys[9.0]: phc offset         5 s2 freq  +90000 delay   1340",
		"Feb 12 20:20:27 web ntpd[1573]: Command line: /usr/sbin/ntpd -g -u 112:117\nFeb 12 20:20:28 web ntpd[1573]: Soliciting pool server 192.0.2.62",
		"root@pi:~# ntpd -gq\nntpd[940]: Soliciting pool server 192.0.2.62\nntpd[940]: ntpd: time slew -0.012934s",
		"systemd[1]: Unit ntpd.service entered failed state.\nsystemd[1]: Started Network Time Service.\nntpd[7]: synchronized to 192.0.2.1, stratum 2",
		"systemd[1]: chrony.service: Failed with result 'timeout'.\nsystemd[1]: Stopped chrony.service - chrony, an NTP client/server.",
		"systemd[1]: systemd-timesyncd.service: Failed with result 'exit-code'.\nchronyd[300]: chronyd version 4.2 starting",
		strings.ReplaceAll(swinging, " delay ", " "),
		"ntpd: setting time to 2024-09-04 23:39:37.979902 (offset +49.557731s)\nntpd: reply from 192.0.2.1: offset:+0.127141 delay:0.016823 status:0x24",
		"Jan  1 01:00:00 board ntpd[2825]: adjusting local clock by 61.171237s\nJan  3 01:00:00 board ntpd[2825]: adjusting local clock by 0.171237s",
		"remote           refid      st t when poll reach   delay   offset  jitter\nntpq: +192.0.2.2 192.0.2.8 2 u 596 1024 377 18.190 -26.064 40.024",
		"rtc-pcf8563 0-0051: setting system clock to 2025-05-24T08:14:40 UTC (1748074480)", "server 192.0.2.1, stratum 2, offset 0.000312, delay 0.02856\nserver 192.0.2.2, stratum 16, offset 0.000012, delay 0.02574",
		shownFirst + shownBehind, "date: Mon Apr 24 09:54:19 CEST 2023\nhwclock: 2023-04-24 09:56:22.123456+02:00",
		"date: Mon Apr 24 07:54:19 UTC 2023\nhwclock: 2023-04-24 09:56:22.123456+02:00", "date: Sun Nov 29 18:00:00 JST 2026\nhwclock: Sun Nov 29 09:00:01 2026 -0.500000 seconds",
		"date: Sun Oct 29 02:59:59 CEST 2023\ndate: Sun Oct 29 02:00:01 CET 2023",
		strings.Repeat("phc2sys[1.4]: phc offset -374 s2 freq +3494 delay 8123\n", 9) + "phc2sys[2.4]: phc offset 295 s2 freq +15238 delay 78833",
		strings.Replace(twoServers, "Selected source 192.0.2.2", "chronyd version 4.3 starting (+CMDMON)", 1) + "\nchronyd[7]: System clock was stepped by -1946.984184 seconds",
		talosNode,
		"Server: 192.0.2.1 (a)\nLeap: normal\nOffset: +2d 3h 1min 5.087495s\nPacket count: 1", "Leap: normal\nOffset: -187.495ms\nPacket count: 620", scattered,
		"192.0.2.1      4   3     6   -657.528   6622.955  +17us   222ms\n192.0.2.2      4   3   6   -657.528   6622.955  +17us   222ms",
		"#* PPS 0 3 377 8 +201ns[ +306ns] +/- 177ns\n#x NMEA 0 3 377 9 -452ms[ -452ms] +/- 200ms",
		strings.Replace(twoServers, "-1946.984184", "1721.513772", 1) + "\nchronyd[7]: System clock was stepped by 1721.513772 seconds", "Release file for http://x/InRelease is not valid yet (invalid for another 0h 0min 20s)",
		"systemd-time-wait-sync[16]: adjtime state 5 status 40\nsystemd-time-wait-sync[16]: adjtime state 0 status 2000",
	} {
		for _, c := range Explain(Parse(strings.Split(line, "\n")), Machine{}) {
			require.Contains(t, []string{"stepped", "server-answered", "status-synchronized"}, c.Kind, line)
		}
	}
	require.Empty(t, Explain(Parse([]string{`Status: "Idle."`, "systemd-timesyncd[7]: Synchronized to time server 192.0.2.62:123 (a)."}), Machine{}),
		"systemctl status prints older lines below")
	silent := Explain(Parse([]string{
		"systemd-timesyncd[548]: Timed out waiting for reply from 192.0.2.1:123 (a).",
		"systemd-timesyncd[548]: Timed out waiting for reply from 192.0.2.2:123 (b).",
		"24 Jul 15:49:09 ntpdate[8343]: step time server 192.0.2.3 offset 0.651257 sec",
	}), Machine{})
	require.Equal(t, []string{"stepped"}, kinds(silent))
}

// Another program has words of chronyd, and a server that does not answer is not a source.
func TestWordsThatAreNotOfATimeService(t *testing.T) {
	const none = "chronyd[7]: Can't synchronise: no selectable sources\n"
	log := strings.Split(none+"pulseaudio[1811]: Selected source alsa_input.pci-0000_00_1f.3.analog-stereo", "\n")
	require.Equal(t, []string{"no-source"}, kinds(Explain(Parse(log), Machine{})))
	require.Nil(t, formatOf("^* ntp1.example.org  2  10  0  47h  +104us[ +149us] +/-  24ms"))
}

// The files of rules have only fields, kinds and figures that exist, and every function has its rule.
func TestRuleFiles(t *testing.T) {
	known := []string{"title", "text", "also", "concerns", "tsc", "inferred", "harmless", "lines", "marked"}
	kinds := map[string]bool{}
	for _, f := range formats() {
		kinds[f.kind] = true
	}
	for file, of := range map[string]map[string]functions{reasonsFile: reasonFunctions, othersFile: otherFunctions} {
		names := map[string]bool{}
		for _, e := range texts.Entries(file) {
			require.False(t, names[e.Name], "two rules are %s", e.Name)
			names[e.Name] = true
			hasText := false
			for _, f := range e.Fields {
				key, condition, _ := strings.Cut(f.Key, " if ")
				require.Contains(t, known, key, e.Name)
				for _, fact := range regexp.MustCompile(" or |, ").Split(condition, -1) {
					if name, _, _ := strings.Cut(strings.TrimPrefix(fact, "not "), " "); name != "" {
						require.Contains(t, facts, name, e.Name)
					}
				}
				hasText = hasText || key == "text"
				for _, figure := range regexp.MustCompile(`\{[^}]*\}`).FindAllString(f.Value, -1) {
					require.Contains(t, figures, figure, e.Name)
				}
			}
			require.Contains(t, []Subject{"", OfTSC, OfOtherSource, OfWallClock, OfCounter, OfGuests, OfSandbox, ofItsClock},
				Subject(e.Get("concerns")), e.Name)
			require.Contains(t, []Judgement{TSCUnknown, TSCRight, TSCWrong}, Judgement(e.Get("tsc")), e.Name)
			for _, kind := range e.List("lines") {
				require.True(t, kinds[kind], "%s: no format has the kind %s", e.Name, kind)
			}
			require.NotEqual(t, hasText, of[e.Name].say != nil, "%s: a text or a function", e.Name)
		}
		for name := range of {
			require.True(t, names[name], "no rule is %s", name)
		}
	}
}

// A stamp that goes back forbids trust in the TSC, if the kernel doubts it too.
func TestStampsThatGoBack(t *testing.T) {
	var ascends stamps
	var back []string
	for _, line := range []string{
		"[    0.500000] a", "[    0.100000] a CPU that comes up", "[ 4711.000000] b", "[ 4711.100000] c", "[ 4710.932000] Marking TSC unstable due to: possible TSC halt in C2.", "[ 4711.100000] c", "kern  :info  : [ 4710.932001][   C3] d", "[ 4711.200000] e", "[x.y] e", "[ 1e99.] e",
		"Dec  3 09:00:12 host app[7]: [ 4710.932001] a program", "Dec  3 09:00:12 host app: kernel: [ 4710.9] a program", "[ 4711.199000] within a tick", "[   90.000000] another log", "[ 4711.300000] f", "host app[12]: [no stamp] g",
	} {
		if line := ascends.Add(line); line != "" {
			back = append(back, line)
		}
	}
	require.Equal(t, []string{"[ 4710.932001] (168 ms before the line above)"}, back)
	for _, also := range []string{"tsc: Marking TSC unstable due to clocksource watchdog", "Switched to clocksource tsc"} {
		causes := Explain(Parse(append(back, also)), Machine{})
		require.Equal(t, strings.HasPrefix(also, "tsc"), slices.ContainsFunc(causes, func(c Cause) bool {
			return c.Kind == "stamps-go-back" && c.TSC == TSCWrong && strings.Contains(c.Text, "168 ms")
		}))
	}
	for _, c := range Explain(Parse(append([]string{"tsc: Marking TSC unstable due to x"}, back...)), Machine{}) {
		require.NotEqual(t, "stamps-go-back", c.Kind, "the stamps of a kernel that gave the TSC up")
	}
	var descends stamps
	for _, line := range []string{"[ 4711.3] a", "[ 4711.2] b", "[ 4711.1] c"} {
		require.Empty(t, descends.Add(line), "the newest line comes first")
	}
}

// A resume explains a difference between CPUs if it comes first, or if the check is part of it.
func TestResumeBeforeADifference(t *testing.T) {
	const warp = "Measured 1200 cycles TSC warp between CPUs, turning off TSC clock."
	for log, kind := range map[string]string{
		"[  90.1] PM: suspend exit\n[ 99.1] " + warp:                                                "cpus-differ-after-resume",
		"[  90.1] " + warp + "\n[ 90.9] PM: resume of devices complete after 541.103 msecs":         "cpus-differ-after-resume",
		"[  90.1] " + warp + "\n[ 90.9] ACPI: PM: Waking up from system sleep state S3":             "cpus-differ-after-resume",
		"[  90.1] " + warp + "\n[ 90.9] Restarting tasks ... done.":                                 "cpus-differ-after-resume",
		"[   0.1] " + warp + "\n[ 7000.9] PM: suspend entry (deep)\n[ 7001.9] PM: suspend exit":     "cpus-differ",
		"[   0.1] " + warp + "\n[ 1.9] PM: Resume from disk failed.":                                "cpus-differ",
		"[   0.1] " + warp + "\n[ 1.9] PM: Registering ACPI NVS region [mem 0x8f000000-0x8f0fffff]": "cpus-differ",
		"[ 0.1] Hypervisor detected: KVM\n[  90.1] PM: suspend exit\n[ 99.1] " + warp:               "cpus-differ",
	} {
		causes := Explain(Parse(strings.Split(log, "\n")), Machine{})
		require.NotEmpty(t, causes, log)
		require.Equal(t, kind, causes[0].Kind, log)
	}
}

// Two programs that set the clock in turn leave lines whose stamps go back and forth. One step, which every manager of
// systemd notices, and a log with its newest line first, do not.
func TestStepsInTurn(t *testing.T) {
	for stamps, want := range map[string]string{
		"00:00:05 00:00:04 00:00:10 00:00:09 00:00:15 00:00:14 00:00:20 00:00:19": "stepped-again",
		"00:00:19 00:00:20 00:00:14 00:00:15 00:00:09 00:00:10 00:00:04 00:00:05": "stepped-again",
		"00:00:05 00:00:04 00:00:10 00:00:09 00:00:15":                            "stepped",
		"20:10:19 18:40:19 16:00:19 14:20:19 12:00:19":                            "stepped",
		"00:00:05 00:00:05 00:00:04 00:00:04 00:00:04":                            "stepped",
		"00:00:19 00:00:18 00:50:19 00:50:18 00:55:19 00:55:18":                   "stepped",
	} {
		var boot LastBoot
		for at := range strings.FieldsSeq(stamps) {
			boot.Add("Mar 16 " + at + " vm systemd[1]: Time has been changed")
		}
		boot.Finish()
		causes := Explain(Parse(boot.Lines), Machine{})
		require.NotEmpty(t, causes, stamps)
		require.Equal(t, want, causes[0].Kind, "%s: %s", stamps, causes[0].Text)
		require.Len(t, causes, 1, stamps)
	}
}

// Each row of talosctl time is a machine of its own: none is folded.
func TestNodesOfTalos(t *testing.T) {
	const ahead = "10.0.0.102   pool.ntp.org   2023-04-12 11:43:52.430898682 +0000 UTC   2023-04-12 11:43:52.303693959 +0000 UTC"
	var boot LastBoot
	for _, row := range []string{talosNode, talosNode, ahead, talosNode, talosNode, talosNode} {
		boot.Add(row)
	}
	boot.Finish()
	require.Equal(t, []string{"node-off"}, kinds(Explain(Parse(boot.Lines), Machine{})))
}

// An offset before a step of the wall clock is corrected.
func TestNoOffsetSinceTheStep(t *testing.T) {
	causes := Explain(Parse([]string{
		"chronyd[7]: System clock wrong by 3600.5 seconds", "chronyd[7]: System clock was stepped by 3600.5 seconds",
		"chronyd[7]: Could not step system clock",
	}), Machine{})
	at := slices.IndexFunc(causes, func(c Cause) bool { return c.Kind == "step-failed" })
	require.GreaterOrEqual(t, at, 0)
	require.Contains(t, causes[at].Text, "chronyd could not step the wall clock, so")
	require.Len(t, causes[at].Evidence, 1)
}

// A step that only the dates of the lines show is one.
func TestStepInTheDates(t *testing.T) {
	const off = "May 16 11:02:45 Pi4 chronyd[811]: System clock wrong by 5447576.763763 seconds\n"
	for log, want := range map[string]string{
		off + "May 16 11:02:45 Pi4 a: b\nJul 18 12:15:44 Pi4 kernel: BTRFS info: scrub":              "stepped",
		off + "Jul 18 12:15:44 Pi4 chronyd[811]: System clock was stepped by 5447576.763763 seconds": "stepped",
		off + "May 16 11:02:46 Pi4 a: b\nJul 18 12:15:44 Pi4 kernel: BTRFS info: scrub":              "not-stepped",
		off + "May 18 12:15:44 Pi4 kernel: BTRFS info: scrub":                                        "not-stepped",
	} {
		var boot LastBoot
		for line := range strings.Lines(log) {
			boot.Add(strings.TrimSuffix(line, "\n"))
		}
		boot.Finish()
		causes := Explain(Parse(boot.Lines), Machine{})
		require.Equal(t, want, causes[0].Kind, log)
		require.True(t, want == "not-stepped" || strings.Contains(causes[0].Text, "1 time, by 63.05 days"), causes[0].Text)
	}
}

// Whatever a program writes to the log, and whatever a device is called, accuses no clock.
func TestForgedLinesAreNoEvents(t *testing.T) {
	const mark = "tsc: Marking TSC unstable due to clocksource watchdog"
	for _, line := range []string{
		"Dec  3 09:00:12 db1 tsc: " + mark[len("tsc: "):], "Dec  3 09:00:12 db1 clocksource: " + strings.TrimPrefix(verdict, "clocksource: "),
		"Dec  3 09:00:12 db1 rtc_cmos[12]: hctosys: unable to read the hardware clock", "Dec  3 09:00:12 db1 x " + mark, "Dec  3 09:00:12 db1 Marking TSC unstable due to x",
		"Dec  3 09:00:12 db1 x [    9.000000] " + mark, "Dec  3 09:00:12 db1 x [    0.000000] Linux version 9", "Dec  3 09:00:12 db1 app[7]: a\r[    9.0] " + mark,
		"[    9.1] usb 1-1: Product: " + mark, "[    9.1] usb 1-1: Manufacturer: Marking TSC unstable due to x", "[    9.1] input: Marking TSC unstable due to x as /devices/y",
		"[    9.1] usb 1-1: Product: chronyd[12]: System clock was stepped by 1.5 seconds", "[    9.1] evil: ntpd[12]: time reset +1.5 s", "[    9.1] usb 1-1: Product: x: a KRB_AP_ERR_SKEW: Clock skew too great",
		"Dec  3 09:00:12 db1 evil: chronyd[12]: System clock was stepped by 1.5 seconds", "Dec  3 09:00:12 db1 evil[9]: systemd-journald[1]: Time jumped backwards, rotating.",
		`{"_TRANSPORT":"kernel","MESSAGE":"x","MESSAGE":"` + mark + `"}`, `{"_TRANSPORT":"journal","MESSAGE":"` + mark + `","_TRANSPORT":"kernel"}`,
		`{"_TRANSPORT":"journal","MESSAGE":"` + mark + `","_transport":"kernel"}`, `{"_TRANSPORT":"kernel","MESSAGE":"x","message":"` + mark + `"}`,
		"web-1  | TSC warped randomly between CPUs", "12:15:59 TSC warped randomly between CPUs",
		`{"SYSLOG_IDENTIFIER":["x","kernel"],"MESSAGE":"` + mark + `"}`,
		"chronyd[12]: System clock was stepped by -0.0 seconds", "ntpd[12]: time reset +0.000000 s", "tsc: Detected 99999999999999999999.000 MHz processor",
	} {
		require.Empty(t, Parse([]string{line}), line)
	}
	require.Empty(t, Parse([]string{"rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-.... } 6 jiffies s: 45 root: 0x2/."}), "a moment")
	require.Equal(t, 2998147245e9, Parse([]string{"chronyd[12]: System clock was stepped by 2998147245.000000 seconds"})[0].StepNS)
	require.Equal(t, 0.05, Parse([]string{"chronyd[12]: System clock was stepped by -0.050000 seconds"})[0].StepNS/-1e9)
	for _, impossible := range []string{"0xffffffffffffffffffff, max_idle_ns: 99999999999999999999 ns", "0x1, max_idle_ns: 0 ns"} {
		for _, c := range Explain(Parse([]string{"clocksource: riscv_clocksource: mask: 0xffffffffffffffff max_cycles: " + impossible}), Machine{}) {
			require.Equal(t, "no-rate", c.Kind, c.Text)
		}
	}
}

// An impossible figure is unknown, and no 0.
func TestImpossibleFiguresAreNotShown(t *testing.T) {
	for _, line := range []string{
		"chronyd[7]: System clock wrong by -9223372036854775808 seconds",
		"Clocksource tsc unstable (delta = 18446744073709551615 ns).  Enable clocksource failover by adding clocksource_failover kernel parameter.",
		"hrtimer: interrupt too slow, forcing clock min delta to 99999999999999999999 ns",
	} {
		causes := Explain(Parse([]string{line}), Machine{})
		require.NotEmpty(t, causes, line)
		for _, c := range causes {
			require.NotContains(t, c.Text, "0 ns", line)
		}
	}
}

// A figure that a log has in braces is text, and no word that stands for another figure.
func TestFiguresAreFilledOnce(t *testing.T) {
	for word := range figures {
		line := "arch_timer: Enabling local workaround for ARM erratum " + word
		causes := Explain(Parse([]string{line}), Machine{})
		require.Len(t, causes, 1, word)
		require.Contains(t, causes[0].Text, word)
	}
}

// A folded line names the first of its CPUs only.
func TestCPUsOfFoldedLines(t *testing.T) {
	const differs = "[Firmware Bug]: TSC ADJUST differs: CPU15 45960750 --> 78394770. Restoring"
	require.Contains(t, Explain(Parse([]string{differs}), Machine{})[0].Text, "TSC ADJUST, CPU 15)")
	require.Contains(t, Explain(Parse([]string{differs + " (logged 6 times)", strings.ReplaceAll(differs, "15", "9")}), Machine{})[0].Text, "CPUs 9 and 15, and perhaps others)")
}

// Normal messages are no fault.
func TestHealthyLogs(t *testing.T) {
	for name, log := range map[string]string{
		"kvm-clock":               "Hypervisor detected: KVM\nkvm-clock: Using msrs 4b564d01 and 4b564d00\nclocksource: Switched to clocksource kvm-clock",
		"tsc-early to tsc":        "clocksource: Switched to clocksource tsc-early\ntsc: Refined TSC clocksource calibration: 2995.199 MHz\nclocksource: Switched to clocksource tsc",
		"hpet, then tsc":          "Switched to clocksource hpet\nRefined TSC clocksource calibration: 3712.392 MHz.\nSwitching to clocksource tsc",
		"the fast way":            "tsc: Fast TSC calibration failed\ntsc: PIT calibration matches HPET. 1 loops",
		"no PIT":                  "TSC: Unable to calibrate against PIT\nTSC: using HPET reference calibration",
		"riscv":                   "riscv-timer: riscv_timer_register: Registering clocksource cpuid [0] hartid [0]\nclocksource: Switched to clocksource riscv_clocksource",
		"power":                   "clocksource: Switched to clocksource timebase",
		"busy":                    "clocksource: wd-tsc-wd read-back delay of 246120ns, clock-skew test skipped!\nclocksource: timekeeping watchdog on CPU0: hpet retried 2 times before success",
		"slept":                   "PM: suspend entry (s2idle)\nTimekeeping suspended for 59.424 seconds\nPM: suspend exit",
		"no HPET":                 "hpet: HPET dysfunctional in PC10. Force disabled.",
		"wdtest":                  "clocksource: timekeeping watchdog on CPU0: Marking clocksource 'wdtest-ktime' as unstable because the skew is too large:\nclocksource: 'kvm-clock' wd_nsec: 2 wd_now: 2 wd_last: 1 mask: ff\nclocksource: 'wdtest-ktime' cs_nsec: 9 cs_now: 1c cs_last: 1 mask: ff",
		"the TSC checks the HPET": strings.ReplaceAll(verdict, "tsc'", "hpet'") + "clocksource: 'tsc' wd_nsec: 503000000 wd_now: 2 wd_last: 1 mask: ffffffffffffffff\nclocksource: 'hpet' cs_nsec: 0 cs_now: 2 cs_last: 2 mask: ffffffff",
		"a program in dmesg":      "[    9.1] app[77]: it printed tsc: Marking TSC unstable due to clocksource watchdog",
		"journald, after a boot":  "systemd-journald[48]: /var/log/journal/x/system.journal: Monotonic clock jumped backwards relative to last journal entry, rotating.",
		"a quoted message":        "Nov 27 10:00:00 host kernel: you said \"Marking TSC unstable due to clocksource watchdog\"",
		"a console that starts":   "time.c: Lost 103 timer tick(s)! rip 10:start_kernel+0x121/0x220",
		"boots that agree":        "tsc: Detected 2593.906 MHz processor\ntsc: Detected 2594.001 MHz processor\ntsc: Detected 2600.000 MHz TSC",
		"linuxptp in step":        "phc2sys[8585.496]: CLOCK_REALTIME phc offset 15928148 s0 freq   +9442 delay   5364\nphc2sys[8587.498]: CLOCK_REALTIME phc offset       -12 s2 freq   +9573 delay   5364",
		"linuxptp, once stepped":  "ptp4l: [5.2] rms 3037000489 max 8589111561 freq -25266 +/-  32\nptp4l: [6.2] rms 3037000489 max 8589111561 freq -25266 +/-  32\nptp4l: [7.2] rms   20 max   32 freq  -3106 +/-  28 delay   159 +/-   2",
		"linuxptp, slow to step":  strings.Repeat("ptp4l[9.1]: master offset 52345678 s0 freq +0 path delay 853\n", 20) + "ptp4l[9.2]: master offset 52345678 s1 freq -1234567 path delay 853",
		"linuxptp, at its start":  "ptp4l[1.1]: master offset 52345678 s2 freq +62499999 path delay 853\nptp4l[2.1]: master offset 12345678 s2 freq +62499999 path delay 853\nptp4l[3.1]: master offset 8345678 s2 freq +6249999 path delay 853\nptp4l[4.1]: master offset 1345678 s2 freq +2249999 path delay 853\nptp4l[5.1]: master offset 845678 s2 freq +1249999 path delay 853",
		"Kerberos of a client":    "krb5kdc[911](info): preauth (encrypted_timestamp) verify failure: Clock skew too great",
		"a second chronyd":        "chronyd[1021]: Selected source 192.0.2.1 (x.example)\nchronyd[1099]: Fatal error : Not superuser",
		"chronyd, once mended":    "chronyd[1]: Fatal error : Could not open configuration file\nchronyd[2]: chronyd version 4.3 starting (+CMDMON +NTP)",
		"cron after a sleep":      "crond[372]: time disparity of 480 minutes detected\ncrond[372]: time disparity of 495 minutes detected",
		"an RTC in local time":    "Universal time: Sun 2026-11-29 09:00:00 UTC\nRTC time: Sun 2026-11-29 11:02:30\nSystem clock synchronized: yes\nRTC in local TZ: yes",
		"an RTC of Chatham":       "Universal time: Sun 2026-11-29 09:00:00 UTC\nRTC time: Sun 2026-11-29 21:45:01\nSystem clock synchronized: yes",
		"a list still valid":      "ntpd[7]: leapsecond file ('/x/leap-seconds.list'): will expire in less than 28 days",
		"a short stall":           "rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { P4095 } 6 jiffies s: 61 root: 0x0/T",
		"a new certificate":       "x509: certificate has expired or is not yet valid: current time 2023-03-14T07:28:17Z is before 2023-03-14T07:28:18Z",
		"apt, seconds":            "E: Release file for http://x/InRelease is not valid yet (invalid for another 21s).",
		"advice on Kerberos":      "sssd[7]: If you see Clock skew too great, check NTP",
		"a stall of nothing":      "INFO: rcu_bh self-detected stall on CPU { 0}  (t=0 jiffies)",
		"no stall, Linux 3":       "INFO: rcu_sched self-detected stall on CPU { 0}  (t=0 jiffies g=18446744073709551395 c=18446744073709551394 q=0)",
		"a PIT by a parameter":    "Kernel command line: root=/dev/sda1 clocksource=pit\nclocksource: Switched to clocksource pit",
		"a PIT beside an HPET":    "hpet0: 3 comparators, 64-bit 14.318180 MHz counter\nSwitching to clocksource tsc\nSwitching to clocksource pit",
		"calibrated by the PIT":   "tsc: HPET/PMTIMER calibration failed. Using PIT calibration.",
		"a slow servo":            strings.Repeat("ptp4l[9.1]: master offset 52345678 s2 freq +1000000 path delay 853\n", 9) + "ptp4l[19.1]: master offset 42345678 s2 freq +1000000 path delay 853",
		"linuxptp in a device":    "usb 1-1: Product: phc2sys[1.1]: clockcheck: clock jumped forward",
		"ntpd":                    "Oct 30 13:00:58 host ntpd[3517]: tsc: Marking TSC unstable due to x",
	} {
		for _, c := range Explain(Parse(strings.Split(log, "\n")), Machine{}) {
			require.True(t, c.Harmless, "%s: %s: %s", name, c.Kind, c.Text)
		}
	}
}

// Each manager of systemd notices a step, so the lines of some seconds show one step, also where they are folded.
func TestStepThatManyNotice(t *testing.T) {
	var log []string
	for _, hour := range []string{"09", "13", "17"} {
		for i := range 12 {
			log = append(log, fmt.Sprintf("2026-11-29T%s:01:%02d.107311+01:00 host systemd[%d]: Time has been changed", hour, i/2, 1000+i))
		}
	}
	for _, c := range []struct {
		log  []string
		text string
	}{
		{log, "3 times"},
		{log[:24], "2 times"},
		{strings.Split("Jul 05 03:09:37 localhost systemd[1]: Time has been changed"+strings.Repeat("\nJul 05 03:10:51 localhost systemd[1]: Time has been changed", 3), "\n"), "2 times"},
	} {
		var boot LastBoot
		for _, line := range c.log {
			boot.Add(line)
		}
		boot.Finish()
		causes := Explain(Parse(boot.Lines), Machine{})
		require.Equal(t, []string{"stepped"}, kinds(causes))
		require.Contains(t, causes[0].Text, c.text)
	}
}

// A server that answers later makes the silence of others harmless, also where the lines are folded. One silent server
// of many shows nothing.
func TestServersThatAnswerLater(t *testing.T) {
	const host = "Mar 10 13:12:16 host systemd-timesyncd[602]: "
	silent := func(server string) string {
		return host + "Timed out waiting for reply from 192.0.2." + server + ":123 (pool.ntp.org).\n"
	}
	const answer = host + "Contacted time server 192.0.2.7:123 (pool.ntp.org).\n"
	all := silent("1") + silent("2") + silent("3") + silent("4") + silent("5")
	for log, shown := range map[string]bool{
		all: true, answer + all: true, all + answer: false, strings.Repeat(answer, 5) + all + answer: false,
		all + host + "Synchronized to time server 192.0.2.7:123 (pool.ntp.org).\n": false, answer + strings.Repeat(silent("1"), 5): false,
	} {
		var boot LastBoot
		for line := range strings.Lines(log) {
			boot.Add(strings.TrimSuffix(line, "\n"))
		}
		boot.Finish()
		require.Equal(t, shown, slices.Contains(kinds(Explain(Parse(boot.Lines), Machine{})), "servers-silent"), log)
	}
}
