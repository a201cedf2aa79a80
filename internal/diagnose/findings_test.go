package diagnose

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/table"
)

// clocks returns the clocks of a machine with this cost and kernel entry of the fine clocks. Every clock scales.
func clocks(entry string, fineNS float64) []compare.Clock {
	clock := func(id, path, kind, entry string, ns, tick float64) compare.Clock {
		return compare.Clock{
			ID: id, Path: path, Kind: kind, KernelEntry: entry, KernelEntryBy: "seccomp", Available: true,
			Latency:    &compare.Latency{MedianNS: ns, LowNS: ns * 0.99, HighNS: ns * 1.01, Confidence: 0.95, MinNS: ns},
			Resolution: &compare.Resolution{TickNS: tick},
			Throughput: []compare.Throughput{
				{Threads: 1, ReadsPerSecond: 1e9 / ns, NSPerRead: ns, Fairness: 1},
				{Threads: 4, ReadsPerSecond: 4e9 / ns, NSPerRead: ns, Fairness: 1},
				{Threads: 8, ReadsPerSecond: 4e9 / ns, NSPerRead: 2 * ns, Fairness: 0.5, Oversubscribed: true},
			},
		}
	}
	return []compare.Clock{
		clock("CLOCK_MONOTONIC@vdso", "vdso", "monotonic", entry, fineNS, 1),
		clock("CLOCK_REALTIME@vdso", "vdso", "wall", entry, fineNS, 1),
		clock("CLOCK_MONOTONIC_RAW@vdso", "vdso", "monotonic", entry, fineNS, 1),
		clock("CLOCK_REALTIME_COARSE@vdso", "vdso", "wall", result.Never, 8, 4e6),
		clock("CLOCK_PROCESS_CPUTIME_ID@vdso", "vdso", "cpu time", result.Always, 500, 1),
		clock("CLOCK_MONOTONIC@syscall", "syscall", "monotonic", result.Always, fineNS+60, 1),
		clock("RDTSC@cpu", "cpu", "counter", "", 9, 0.4),
	}
}

func eachClock(d *result.Document, change func(*compare.Clock)) {
	for i := range compare.Into(d).Clocks {
		change(&compare.Into(d).Clocks[i])
	}
}

// slow plants fine clocks that enter the kernel, because of the clock source.
func slow(d *result.Document, source string, available ...string) {
	compare.Into(d).Clocks, d.Host.ClockSource.Current = clocks(result.Always, 640), source
	if available != nil {
		d.Host.ClockSource.Available = available
	}
}

// gains plants the throughput of a clock with all threads, relative to its throughput with one thread.
func gains(d *result.Document, clock int, times float64) {
	t := compare.Into(d).Clocks[clock].Throughput
	t[1].ReadsPerSecond = times * t[0].ReadsPerSecond
}

// with64 plants 64 CPUs, with which all clocks but the first scale.
func with64(d *result.Document, times float64) {
	for i := range compare.Into(d).Clocks {
		compare.Into(d).Clocks[i].Throughput[1].Threads = 64
		gains(d, i, 62)
	}
	gains(d, 0, times)
}

func guestOf(system string) *result.Virtualization {
	return &result.Virtualization{System: system, Role: "guest"}
}

// requireText requires that a text has all texts of says, and none of never.
func requireText(t *testing.T, text string, says, never []string, name string) {
	t.Helper()
	for _, part := range says {
		require.Contains(t, text, part, name)
	}
	for _, part := range never {
		require.NotContains(t, text, part, name)
	}
}

// requireKind requires that a document has a finding of a kind and a severity with a text; or no finding of that kind,
// if the severity is "".
func requireKind(t *testing.T, d *result.Document, kind, severity string, says, never []string, name string) {
	t.Helper()
	findings := Findings(d)
	i := slices.IndexFunc(findings, func(f result.Finding) bool { return f.Kind == kind })
	if severity == "" {
		require.Negative(t, i, name)
		return
	}
	require.GreaterOrEqual(t, i, 0, name)
	require.Equal(t, severity, findings[i].Severity, name)
	requireText(t, worded(findings[i]), says, never, name)
}

// layers returns the parts of a read of 1,010 ns.
func layers() []compare.Layer {
	return []compare.Layer{
		{Name: "call and return", NS: 2, LowNS: -1, HighNS: 4}, {Name: "enter and leave the kernel", NS: 95, LowNS: 94, HighNS: 96},
		{Name: "the call in the kernel", NS: 98, LowNS: 97, HighNS: 99}, {Name: "read the clock source", NS: 815, LowNS: 810, HighNS: 820},
	}
}

func well() *result.Document {
	invariant := true
	return &result.Document{
		Sections:   []result.Section{&compare.Costs{FloorNS: 1.4, Clocks: clocks(result.Never, 25)}},
		Conditions: &result.Conditions{FloorLowNS: 1.39, FloorHighNS: 1.41, StealShare: 0.001},
		Host: result.Host{
			OS: "linux", Arch: "amd64", ServiceManager: "systemd",
			CPU: result.CPU{
				Logical: 4, Usable: 4, InvariantTSC: &invariant, TSCFlags: []string{"constant_tsc", "nonstop_tsc"},
				TSCHz: 2.6e9, TSCAsleepHz: 2.6e9, TSCLoadedHz: 2.60000001e9, KernelTSCHz: 2.6001e9, Governors: []string{"performance"},
			},
			ClockSource: &result.ClockSource{Current: "tsc", Available: []string{"tsc", "hpet", "acpi_pm"}},
			TimeSync:    &result.TimeSync{Synchronised: true, TickNS: 1e7, OffsetNS: 20_000, MaxErrorNS: 1e6},
			KernelLog:   &result.KernelLog{Source: "/dev/kmsg", Lines: []string{"[    0.1] tsc: Detected 2600.100 MHz processor"}},
		},
	}
}

// An outcome is a change of a machine without problems, with what doctor finds then.
type outcome struct {
	plant    func(*result.Document)
	kinds    string // of the findings, the worst first; "" where nothing is found
	severity string // of the first
	says     string // texts of the findings, in their order: "a … b"
	never    string // texts that they lack: "a | b"
}

// Each fault has its own finding alone, with its cause and its advice. A machine that only looks faulty has no finding.
// A new kind of finding has a row for each of its severities.
func TestEachFinding(t *testing.T) {
	found := map[string]bool{}
	for _, table := range []map[string]outcome{faults, ofChoices, ofTimecounters, ofWakeUps, ofWallOffsets, ofDisruptions, ofServices, ofRates} {
		for name, test := range table {
			t.Run(name, func(t *testing.T) {
				d := well()
				test.plant(d)
				findings := Findings(d)
				require.Equal(t, test.kinds, kindsOf(d))
				if len(findings) > 0 {
					require.Equal(t, test.severity, findings[0].Severity)
					found[findings[0].Kind+" "+test.severity] = true
				}
				rules(t, d)
				require.Regexp(t, "(?s)"+inOrder(test.says), said(d))
				for never := range strings.SplitSeq(test.never, " | ") {
					require.False(t, never != "" && strings.Contains(said(d), never), never)
				}
			})
		}
	}
	for _, c := range checks {
		for _, severity := range c.severities {
			require.True(t, found[c.kind+" "+severity], "%s: plant it, with each of its severities", c.kind)
		}
	}
}

var faults = map[string]outcome{
	"hpet": {func(d *result.Document) { slow(d, "hpet") }, "kernel-entry", result.Error, "somebody selected hpet at run time … CLOCK_REALTIME_COARSE (", ""},
	"layers": {func(d *result.Document) {
		compare.Into(d).Clocks = clocks(result.Always, 1010)
		d.Host.ClockSource.Current = "hpet"
		eachClock(d, func(c *compare.Clock) { c.UserModeNS, c.Layers = 22, layers() })
	}, "kernel-entry", result.Error, "CLOCK_MONOTONIC@vdso, 1,010 ns = ≈ 2.00 (call and return) + 95.0 (enter and leave the kernel) + " +
		"98.0 (the call in the kernel) + 815.0 (read hpet) · about 22.0 ns if the vDSO read the counter of the CPU", ""},
	"sometimes": {func(d *result.Document) { compare.Into(d).Clocks = clocks(result.Sometimes, 100) }, "kernel-entry", result.Error, "3 fine clocks · 100 ns/read · some reads enter the kernel (seccomp)", ""},
	"nothing measured": {func(d *result.Document) {
		compare.Into(d).Clocks = clocks(result.Always, 640)
		eachClock(d, func(c *compare.Clock) { c.Latency, c.Throughput = nil, nil })
	}, "kernel-entry", result.Error, "3 fine clocks · not timed · every read enters the kernel", ""},
	"no tsc, no log": {func(d *result.Document) {
		slow(d, "hpet", "hpet")
		d.Host.KernelLog = &result.KernelLog{Reason: "/dev/kmsg: operation not permitted"}
	}, "kernel-entry", result.Error, "kernel log: /dev/kmsg: operation not permitted", ""},
	"old kernel": {func(d *result.Document) { compare.Into(d).Clocks[2].KernelEntry = result.Always }, "kernel-entry-of-some", result.Note, "Linux 5.3", ""},
	"no vDSO":    {both(withoutVDSO, booted("vdso=0")), "no-vdso", result.Error, "kernel command line: vdso=0", ""},
	"hpet, and no proof": {func(d *result.Document) {
		compare.Into(d).Clocks = clocks(result.Unknown, 640)
		for i := range compare.Of(d).Clocks {
			compare.Into(d).Clocks[i].KernelEntryBy = "no seccomp filter (operation not permitted), and CPU time and cost are inconclusive"
		}
		d.Host.ClockSource.Current = "hpet"
	}, "kernel-entry-unproven", result.Warn, "kernel entry is unknown: no seccomp filter (operation not permitted)", ""},
	"acpi_pm, and one proof": {func(d *result.Document) {
		compare.Into(d).Clocks[0].KernelEntry = result.Unknown
		d.Host.ClockSource.Current = "acpi_pm"
	}, "kernel-entry-unproven", result.Warn, "somebody selected acpi_pm at run time", ""},
	"xen, and a clock that fails": {func(d *result.Document) {
		compare.Into(d).Clocks = []compare.Clock{{ID: "CLOCK_REALTIME@vdso", Path: "vdso", Reason: "failed while it was read: oops"}, {ID: "time", Path: "vdso", Available: true}}
		d.Host.ClockSource = &result.ClockSource{Current: "xen", Available: []string{"xen"}}
	}, "kernel-entry-unproven", result.Warn, "CLOCK_REALTIME@vdso · cannot be read: failed while it was read: oops", ""},
	"xen, by a log alone": {func(d *result.Document) {
		*d = result.Document{Host: result.Host{OS: "linux", ClockSource: &result.ClockSource{Current: "xen"},
			KernelLog: &result.KernelLog{Lines: []string{"[ 1.0] clocksource: Switched to clocksource xen"}}}}
	}, "kernel-entry-unproven", result.Note, "only if the host vouches for its TSC", ""},
	"jiffies, on 386": {func(d *result.Document) {
		compare.Into(d).Clocks, d.Host.Arch = compare.Of(d).Clocks[5:], "386"
		d.Host.ClockSource.Current = "refined-jiffies"
	}, "kernel-entry-unproven", result.Warn, "counts timer interrupts … time runs slow … run the amd64 build of timebench", ""},
	"trapped": {func(d *result.Document) { compare.Into(d).Clocks[6].Latency.MedianNS = 1100 }, "tsc-trapped", result.Error, "RDTSC@cpu · 1.1 µs/read", ""},
	"trapped, in a guest of VMware": {func(d *result.Document) {
		compare.Into(d).Clocks[6].Latency.MedianNS, d.Host.Virtualization = 1100, guestOf("vmware")
	}, "tsc-trapped", result.Error, "VMware virtualises the TSC … Leave monitor_control.virtual_rdtsc at TRUE", ""},
	"stood still while it was verified": {func(d *result.Document) {
		fault := verify.ClockFault{Kind: verify.FaultStall, Count: 1, WorstNS: 1e6}
		d.Put(&verify.Verification{Clocks: []verify.VerifiedClock{{ID: compare.Of(d).Clocks[0].ID, Verdict: verify.Faulty, Faults: []verify.ClockFault{fault}}}})
	}, "faulty-clock", result.Warn, "CLOCK_MONOTONIC@vdso stopped once, for up to 1 ms", ""},
	"backwards": {func(d *result.Document) {
		compare.Into(d).Clocks[0].Resolution.Backwards, compare.Into(d).Clocks[0].Resolution.WorstBackwardsNS = 3, 40
	}, "backwards", result.Error, "3 times, by up to 40 ns", ""},
	"demoted": {func(d *result.Document) {
		d.Host.ClockSource.Current = "kvm-clock"
		d.Host.KernelLog.Lines = []string{"[ 9.1] tsc: Marking TSC unstable due to clocksource watchdog"}
	}, "tsc-unstable", result.Warn, "uses kvm-clock", ""},
	"demoted, hpet read by an old vDSO": {func(d *result.Document) {
		*d.Host.CPU.InvariantTSC, d.Host.ClockSource.Current = false, "hpet"
		d.Host.KernelLog.Lines = []string{"[ 9.1] Measured 1200 cycles TSC warp between CPUs, turning off TSC clock."}
	}, "tsc-unstable", result.Warn, "The TSCs of the CPUs differ", ""},
	"a wrong rate of the TSC, in use": {func(d *result.Document) {
		d.Host.KernelLog.Lines = []string{
			"[ 1.9] tsc: Warning: TSC freq calibrated by CPUID/MSR differs from what is calibrated by HW timer, please check with vendor!!",
			"[ 1.9] tsc: Previous calibrated TSC freq: 1896.000 MHz", "[ 1.9] tsc: TSC freq recalibrated by [HPET]: 1975.000 MHz",
		}
	}, "tsc-unstable", result.Error, "the CPU reports a wrong rate of its TSC, and the clock source is tsc", ""},
	"another clock source is refused": {func(d *result.Document) {
		*d = result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Lines: []string{
			"[ 1.0] Override clocksource jiffies is not HRT compatible. Cannot switch while in HRT/NOHZ mode",
		}}}}
	}, "kernel-log", result.Warn, "the kernel refused the clock source jiffies", ""},
	"a stall, by a log alone": {func(d *result.Document) {
		*d = result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Lines: []string{
			"[ 99.0] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [rtcwake:72543]",
		}}}}
	}, "kernel-log", result.Note, "from a kernel log alone: the kernel waited 22 s for CPU 1 … no fault of the clocks … Beyond that … soft lockup - CPU#1 … Find out what held the CPU up", ""},
	"no time service, by a log alone": {func(d *result.Document) {
		*d = result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Lines: []string{"System clock synchronized: no"}}}}
	}, "wall-clock-log", result.Note, "alone: the wall clock is not synchronised", ""},
	"a time service that runs, by a log alone": {func(d *result.Document) {
		*d = result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Lines: []string{"System clock synchronized: no", "NTP service: active"}}}}
	}, "wall-clock-log", result.Note, "Check whether the time service reaches a server", "start the"},
	"acpi_pm on Hyper-V, by a log alone": {func(d *result.Document) {
		*d = result.Document{Host: result.Host{OS: "linux", Arch: "amd64", Virtualization: guestOf("hyperv"), ClockSource: &result.ClockSource{Current: "acpi_pm"},
			KernelLog: &result.KernelLog{Truncated: true, Lines: []string{"[ 541.9] clocksource: Switched to clocksource acpi_pm"}}}}
	}, "kernel-entry-unproven", result.Warn, "On Hyper-V the kernel usually uses hyperv_clocksource_tsc_page or tsc", "Why the TSC"},
	"ticks as the watchdog": {func(d *result.Document) {
		*d = result.Document{Host: result.Host{OS: "linux", Arch: "amd64", KernelLog: &result.KernelLog{Lines: []string{
			"[ 1.134197] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc-early' as unstable because the skew is too large:",
			"[ 1.134214] clocksource:                       'refined-jiffies' wd_nsec: 500000000 wd_now: ffff8b35 wd_last: ffff8b03 mask: ffffffff",
			"[ 1.134217] clocksource:                       'tsc-early' cs_nsec: 507537855 cs_now: 4e63c9d09 cs_last: 4bebd81f5 mask: ffffffffffffffff",
		}}}}
	}, "tsc-unstable", result.Warn, "Print less on a serial console … Enable the HPET … Use Linux 5.16", "firmware (BIOS)"},
	"a false leap second": {func(d *result.Document) {
		d.Host.KernelLog = &result.KernelLog{Lines: []string{"Aug 31 23:59:59 Clock: inserting leap second 23:59:60 UTC"}}
		d.Host.TimeSync = nil
	}, "wall-clock-log", result.Warn, "at least four", ""},
	"rate under load":  {func(d *result.Document) { d.Host.CPU.TSCLoadedHz = 2.5e9 }, "tsc-rate", result.Warn, "TSC rate while clocks were read: 2500.000 MHz; idle: 2600.000 MHz", ""},
	"kernel's rate":    {func(d *result.Document) { d.Host.CPU.KernelTSCHz = 2.1e9 }, "tsc-rate", result.Warn, "idle: 2600.000 MHz; figure of the kernel: 2100.000 MHz", ""},
	"wrong CPUID rate": {func(d *result.Document) { d.Put(counterWith(counter.CounterRate{Name: "CPUID 15H", HZ: 2e9})) }, "counter-rate", result.Warn, "RDTSC@cpu is 2,000.000 MHz by CPUID 15H, but 2,600.000 MHz by CLOCK_MONOTONIC_RAW@vdso", ""},
	"shared timer":     {func(d *result.Document) { gains(d, 0, 1.05) }, "not-scaling", result.Warn, "CLOCK_MONOTONIC@vdso: 4 threads together have 1.05 times the throughput of one thread", ""},
	"shared timer of two CPUs": {func(d *result.Document) {
		for i := range compare.Into(d).Clocks {
			compare.Into(d).Clocks[i].Throughput[1].Threads = 2
			gains(d, i, 1.9)
		}
		gains(d, 0, 1.05)
	}, "not-scaling", result.Warn, "2 threads together have 1.05 times", ""},
	"shared timer of 64 CPUs": {func(d *result.Document) { with64(d, 1.45) }, "not-scaling", result.Warn, "64 threads together have 1.45 times", ""},
	"published HPET":          {func(d *result.Document) { gains(d, 0, 1.38) }, "not-scaling", result.Warn, "have 1.38 times", ""},
	"unsynchronised": {func(d *result.Document) {
		d.Host.TimeSync.Synchronised, d.Host.TimeSync.MaxErrorNS = false, 16e9
	}, "unsynchronised", result.Warn, "STA_UNSYNC", ""},
	"unsynchronised, but WSL sets the clock": {both(serving("hyperv", "6.6.87.2-microsoft-standard-WSL2", implicit), synced(result.TimeSync{MaxErrorNS: lostErrorNS})),
		"unsynchronised", result.Note, "If the time is wrong, update WSL", "systemctl"},
	"unsynchronised, error unknown": {func(d *result.Document) {
		d.Host.TimeSync = &result.TimeSync{}
	}, "unsynchronised", result.Warn, "knows of no time service", ""},
	"chrony without rtcsync": {func(d *result.Document) {
		d.Host.TimeSync.Synchronised, d.Host.TimeSync.MaxErrorNS = false, 2e7
	}, "unsynchronised", result.Note, "rtcsync", ""},
	"W32Time without a source, and a program that sets the rate": {func(d *result.Document) {
		d.Host.OS, d.Host.TimeSync = "windows", nil
		d.Host.Windows = &result.Windows{
			W32Time: &result.W32Time{State: "running", Start: "auto", Type: "NoSync"}, Adjustment: &result.Adjustment{AdjustedHz: 9_999_877, NominalHz: 1e7},
		}
	}, "unsynchronised", result.Warn, "12.3 ppm from the nominal rate", ""},
	"restored, and not synchronised since": {func(d *result.Document) {
		d.Host.VMClock, d.Host.TimeSync = &result.VMClock{DisruptionMarker: "1", Generation: "1", Disruptions: 1}, nil
	}, "vm-disrupted", result.Warn, "Nothing shows that the wall clock was corrected.", ""},
	"service stopped": {func(d *result.Document) { d.Host.TimeSync.MaxErrorNS = 5e9 }, "unsynchronised", result.Warn, "at most 2.78 h ago", ""},
	"calls refused": {func(d *result.Document) {
		d.Host.RefusedCalls = []result.RefusedCall{{Call: "clock_gettime64", Errno: "EPERM"}}
	}, "clock-calls-refused", result.Error, "libseccomp 2.4.2", ""},
	"a tick in a fine clock": {func(d *result.Document) {
		compare.Into(d).Clocks[1].Resolution.TickNS = 4e6
	}, "fine-clock-ticks", result.Warn, "time steps by 4 ms", ""},
	"slow in user mode": {func(d *result.Document) { compare.Into(d).Clocks = clocks(result.Never, 1650) }, "slow-reads", result.Error, "why is unknown", ""},
	"clock source left switched": {func(d *result.Document) {
		d.Host.ClockSource.Current = "hpet"
		d.Host.UnrestoredClockSource = &result.UnrestoredClockSource{Original: "tsc", PID: 412, Since: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)}
	}, "clocksource-unrestored", result.Error, "process 412 switched it from tsc at 2026-11-21 03:00:00 UTC", ""},
	"clock source left switched, the original gone": {func(d *result.Document) {
		d.Host.ClockSource = &result.ClockSource{Current: "acpi_pm", Available: []string{"hpet", "acpi_pm"}}
		d.Host.UnrestoredClockSource = &result.UnrestoredClockSource{Original: "tsc", PID: 412}
	}, "clocksource-unrestored", result.Error, "echo | sudo tee", ""},
	"some steal": {func(d *result.Document) { d.Conditions.StealShare = 0.04 }, "steal", result.Note, "4 %", ""},
	"much steal": {func(d *result.Document) { d.Conditions.StealShare = 0.3 }, "steal", result.Warn, "30 %", ""},
	"heavy reader": {func(d *result.Document) {
		d.Put(&profile.Profile{Processes: []profile.Process{reading("java", 0.3, 0.28)}})
	}, "heavy-readers", result.Warn, "java (pid 812) spends 30 %", ""},
	"reader": {func(d *result.Document) {
		d.Put(&profile.Profile{Processes: []profile.Process{reading("java", 0.06, 0.05)}})
	}, "heavy-readers", result.Note, "java (pid 812) spends 6 %", ""},
	"drift": {func(d *result.Document) {
		ppm := 620.0
		d.Put(&drift.Drift{Reference: "RDTSC@cpu", Clocks: []drift.DriftedClock{{ID: "CLOCK_MONOTONIC@vdso", Idle: &drift.DriftRate{PPM: &ppm, Hz: 1e9, IntervalPPM: 2}}}})
	}, "drift", result.Warn, "CLOCK_MONOTONIC@vdso differs from RDTSC@cpu by +620 ppm", ""},
	"quota":   {func(d *result.Document) { d.Host.CPU.Quota, d.Host.CPU.QuotaPeriodNS = 1.5, 1e8 }, "quota", result.Note, "150 ms of CPU time per 100 ms", ""},
	"one CPU": {func(d *result.Document) { d.Host.CPU.Usable = 1 }, "single-cpu", result.Note, "1 of 4", ""},
	"QPC by the kernel": {func(d *result.Document) {
		d.Host.Windows = &result.Windows{QPC: &result.QPC{Hz: 10_000_000, UserMode: new(bool)}}
	}, "qpc-kernel", result.Error, "useplatformclock", ""},
	"QPC by Intel's HPET": {func(d *result.Document) {
		d.Host.Windows = &result.Windows{QPC: &result.QPC{Hz: 24_000_000}}
	}, "qpc-kernel", result.Error, `bcdedit /enum "{current}"`, ""},
	"timer raised": {func(d *result.Document) {
		d.Host.Windows = &result.Windows{Timer: &result.Timer{PeriodNS: 1e6, FinestNS: 5e5, CoarsestNS: 15_625_000}}
	}, "timer-raised", result.Note, "system timer to 1 ms", ""},
	"a step to tsc":          {suspect("hpet", nil), "kernel-entry", result.Error, "time jumps between CPUs … echo tsc", ""},
	"tsc, in a guest of KVM": {suspect("kvm-clock", inKVM), "kernel-entry", result.Error, "time jumps between CPUs … hosts with the same TSC rate … echo tsc", ""},
	"a TSC that is not invariant, in a guest of KVM": {suspect("kvm-clock", func(d *result.Document) { inKVM(d); *d.Host.CPU.InvariantTSC = false }), "kernel-entry", result.Error, "kvm-clock", "echo tsc"},
	"tsc, in a guest of Xen":                         {suspect("xen", func(d *result.Document) { d.Host.Virtualization = guestOf("xen") }), "kernel-entry", result.Error, "time jumps between CPUs … Amazon … echo tsc", ""},
	"a TSC that is not invariant":                    {suspect("hpet", func(d *result.Document) { *d.Host.CPU.InvariantTSC = false }), "kernel-entry", result.Error, "time jumps between CPUs … while the CPU sleeps … echo tsc", ""},
	"a TSC that the kernel gave up": {suspect("hpet", func(d *result.Document) {
		d.Host.KernelLog.Lines = []string{"tsc: Marking TSC unstable due to TSC halts in idle"}
	}), "kernel-entry", result.Error, "halts", "echo tsc"},
	"a host of KVM":           {hypervised("kvm", "host"), "kernel-entry", result.Error, "", "on the host"},
	"Firecracker":             {hypervised("firecracker", "guest"), "kernel-entry", result.Error, "Firecracker", "QEMU"},
	"a guest of VMware":       {hypervised("vmware", "guest"), "kernel-entry", result.Error, "VMware", "QEMU"},
	"the first domain of Xen": {hypervised("xen", "host"), "kernel-entry", result.Error, "first domain", "Amazon"},
	// A document without the key kernel_entry proves nothing: under hpet that is a finding, under tsc it is not.
	"tsc, not tested": {untested(0), "", "", "", ""},
	"hpet, one clock not tested": {both(untested(0), func(d *result.Document) { d.Host.ClockSource.Current = "hpet" }), "kernel-entry-unproven", result.Warn,
		"so every read should be a system call; nothing here tested it. … CLOCK_MONOTONIC@vdso · 640 ns/read (95% CI 634 ns to 646 ns) · kernel entry was not tested",
		"CLOCK_REALTIME@vdso | so every read is a system call"},
	"hpet, proven to stay in user mode": {both(untested(-1), func(d *result.Document) { d.Host.ClockSource.Current = "hpet" }), "", "", "", ""},
	"a counter of 32 kHz":               {func(d *result.Document) { compare.Into(d).Clocks[0].Resolution.TickNS = 31_250 }, "", "", "", ""},
	"hpet, in ticks": {func(d *result.Document) {
		slow(d, "hpet")
		compare.Into(d).Clocks[0].Resolution = &compare.Resolution{TickNS: 4e6, ReportedNS: 1}
	}, "kernel-entry fine-clock-ticks", result.Error, "CLOCK_MONOTONIC@vdso · 640 ns/read (95% CI 634 ns to 646 ns) · steps by 4 ms; clock_getres reports 1 ns", "COARSE ("},
	// The user of Docker Desktop has no access to its virtual machine, which uses the TSC again after a restart.
	"hpet in Docker Desktop": {func(d *result.Document) {
		slow(d, "hpet", "hpet", "acpi_pm")
		d.Host.Container, d.Host.Kernel = "docker", "5.15.49-linuxkit"
	}, "kernel-entry", result.Error, "Restart Docker Desktop", "sudo"},
	// Only an instance type with CPU credits is called burstable.
	"steal of a t3":         {stolen("t3.medium"), "steal", result.Warn, "This instance type (t3.medium) is burstable", ""},
	"steal of an m5":        {stolen("m5.large"), "steal", result.Warn, "", "burstable"},
	"gVisor without a vDSO": {withoutVDSO, "no-vdso", result.Error, "gVisor", "vdso=0 from"},
}

// suspect plants a clock source that enters the kernel although tsc is offered, and another change.
func suspect(source string, change func(*result.Document)) func(*result.Document) {
	return func(d *result.Document) {
		slow(d, source, "tsc", "hpet", "kvm-clock", "xen")
		if change != nil {
			change(d)
		}
	}
}

// hypervised plants a machine with a role under a hypervisor, which reads acpi_pm.
func hypervised(system, role string) func(*result.Document) {
	return func(d *result.Document) {
		slow(d, "acpi_pm", "acpi_pm", "tsc")
		*d.Host.CPU.InvariantTSC, d.Host.Virtualization = false, &result.Virtualization{System: system, Role: role}
	}
}

// untested plants clocks of 640 ns, and a clock without a test of kernel entry.
func untested(clock int) func(*result.Document) {
	return func(d *result.Document) {
		compare.Into(d).Clocks = clocks(result.Never, 640)
		if clock >= 0 {
			compare.Into(d).Clocks[clock].KernelEntry, compare.Into(d).Clocks[clock].KernelEntryBy = "", ""
		}
	}
}

func stolen(instance string) func(*result.Document) {
	return func(d *result.Document) {
		d.Conditions.StealShare, d.Host.Machine = 0.3, &result.Machine{Vendor: "Amazon EC2", Product: instance}
	}
}

func withoutVDSO(d *result.Document) {
	for i, c := range compare.Of(d).Clocks {
		if c.Path == "vdso" {
			compare.Into(d).Clocks[i] = compare.Clock{ID: c.ID, Path: "vdso", Reason: "the kernel mapped no vDSO into this process"}
		}
	}
}

// The commands fit the state and the settings of the Windows Time service.
func TestW32Time(t *testing.T) {
	const (
		enable, start, resync, status = "sc.exe config w32time start= auto", "net start w32time", "w32tm /resync", "w32tm /query /status"
		useServers                    = "w32tm /config /syncfromflags:manual /update"
		usePublic                     = `w32tm /config /syncfromflags:manual /manualpeerlist:"time.windows.com,0x9" /update`
		servers                       = "time.windows.com,0x9"
	)
	for name, test := range map[string]struct {
		service  result.W32Time
		severity string // "" without a finding
		commands []string
	}{
		"disabled":                 {result.W32Time{State: "stopped", Start: "disabled", Type: "NTP"}, result.Warn, []string{enable, start, resync, status}},
		"disabled, state unknown":  {result.W32Time{Start: "disabled", Type: "NTP"}, result.Warn, []string{enable, start, resync, status}},
		"disabled, without source": {result.W32Time{State: "stopped", Start: "disabled", Type: "NoSync", Servers: servers}, result.Warn, []string{enable, start, useServers, resync, status}},
		"stopped":                  {result.W32Time{State: "stopped", Start: "manual", Type: "NTP"}, result.Note, []string{start, resync}},
		"stopped, without source":  {result.W32Time{State: "stopped", Start: "manual", Type: "NoSync"}, result.Note, []string{start, usePublic, resync}},
		"without source":           {result.W32Time{State: "running", Start: "auto", Type: "NoSync", Servers: servers}, result.Warn, []string{useServers, resync, status}},
		"without servers":          {result.W32Time{State: "running", Start: "auto", Type: "NoSync"}, result.Warn, []string{usePublic, resync, status}},
		"running":                  {service: result.W32Time{State: "running", Start: "auto", Type: "NTP"}},
		"running, now disabled":    {service: result.W32Time{State: "running", Start: "disabled", Type: "NTP"}},
		"changing":                 {service: result.W32Time{State: "changing", Start: "disabled", Type: "NTP"}},
		"state unknown":            {service: result.W32Time{Start: "manual", Type: "NTP"}},
	} {
		d := well()
		d.Host.OS, d.Host.TimeSync = "windows", nil
		d.Host.Windows = &result.Windows{W32Time: &test.service, Adjustment: &result.Adjustment{AdjustedHz: 1e7, NominalHz: 1e7}}
		requireKind(t, d, "unsynchronised", test.severity, []string{strings.Join(test.commands, "\n")}, []string{"ppm"}, name)
	}
}

// Situations that look like a fault, and are healthy. A new case is a row.
func TestNoFindings(t *testing.T) {
	no, yes := false, true
	for name, plant := range map[string]func(*result.Document){
		"CPU time enters":               func(_ *result.Document) {},
		"a correction half an hour ago": func(d *result.Document) { d.Host.TimeSync.MaxErrorNS = 1_050_000_000 }, // as systemd-timesyncd's
		"nothing is known":              func(d *result.Document) { *d = result.Document{} },
		"unknown entry":                 func(d *result.Document) { compare.Into(d).Clocks = clocks(result.Unknown, 25) },
		"slow machine, no trap": func(d *result.Document) {
			compare.Into(d).FloorNS, compare.Into(d).Clocks[6].Latency.MedianNS = 20, 400
		},
		"nothing scales": func(d *result.Document) {
			for i := range compare.Of(d).Clocks {
				gains(d, i, 1)
			}
		},
		"a busy moment": func(d *result.Document) {
			one := compare.Of(d).Clocks[0].Throughput[0].ReadsPerSecond
			compare.Into(d).Clocks[0].Throughput[1].ReadsPerSecond = one
			compare.Into(d).Clocks[0].Throughput[1].SamplesReadsPerSecond = []float64{0.5 * one, one, 3.5 * one}
		},
		"a busy moment of one thread": func(d *result.Document) {
			for i := range compare.Of(d).Clocks { // one reads as it should in its best pass, and its median is a tenth
				compare.Into(d).Clocks[i].Throughput[0].SamplesReadsPerSecond = []float64{compare.Of(d).Clocks[i].Throughput[0].ReadsPerSecond}
			}
			one := compare.Of(d).Clocks[3].Throughput[0].ReadsPerSecond
			compare.Into(d).Clocks[3].Throughput[0].ReadsPerSecond = one / 50
			compare.Into(d).Clocks[4].Throughput[0].ReadsPerSecond /= 100
			gains(d, 0, 1.6)
		},
		"figures that no number of threads can make": func(d *result.Document) {
			eachClock(d, func(c *compare.Clock) { c.Throughput[0].ReadsPerSecond /= 50 })
			compare.Into(d).Clocks[4].Throughput[0].ReadsPerSecond /= 4
			compare.Into(d).Clocks[5].Throughput[0].ReadsPerSecond /= 4
		},
		"one other clock that scales": func(d *result.Document) {
			for i := range compare.Of(d).Clocks[:6] {
				gains(d, i, 1)
			}
		},
		"other programs": func(d *result.Document) {
			gains(d, 0, 1)
			d.Conditions.DurationNS, d.Conditions.OtherCPUs = 2e9, 1.2
		},
		"interruptions": func(d *result.Document) {
			gains(d, 0, 1)
			d.Conditions.Turns, d.Conditions.InterruptedTurns = 100, 40
		},
		"one thread only": func(d *result.Document) {
			eachClock(d, func(c *compare.Clock) { c.Throughput = c.Throughput[:1] })
		},
		"a wall clock set back": func(d *result.Document) { compare.Into(d).Clocks[1].Resolution.Backwards = 1 },
		"a clock source restored by hand": func(d *result.Document) {
			d.Host.UnrestoredClockSource = &result.UnrestoredClockSource{Original: "tsc", PID: 412}
		},
		"quota of all CPUs":  func(d *result.Document) { d.Host.CPU.Quota = 4 },
		"unstable, yet used": func(d *result.Document) { d.Host.KernelLog.Lines = []string{"tsc: Marking TSC unstable due to x"} },
		"presumed, and another read": func(d *result.Document) {
			d.Host.ClockSource.Current = "acpi_pm"
			d.Host.KernelLog.Lines = []string{"[ 0.1] tsc: Marking TSC unstable due to TSCs unsynchronized"}
		},
		"a watchdog of what was not preferred": func(d *result.Document) {
			*d.Host.CPU.InvariantTSC, d.Host.ClockSource.Current = false, "kvm-clock"
			d.Host.KernelLog.Lines = []string{"[ 9.1] tsc: Marking TSC unstable due to clocksource watchdog"}
		},
		"a false leap second in the log of a synchronised machine": func(d *result.Document) {
			d.Host.KernelLog.Lines = []string{"Aug 31 23:59:59 Clock: inserting leap second 23:59:60 UTC"}
		},
		"a stall in the log of a measured machine": func(d *result.Document) {
			d.Host.KernelLog.Lines = []string{"[ 99.0] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [rtcwake:72543]"}
		},
		"powersave, steady": func(d *result.Document) { d.Host.CPU.Governors = []string{"powersave"} },
		"Wine": func(d *result.Document) {
			d.Host.Windows = &result.Windows{Wine: &result.Wine{Version: "8.0"}, QPC: &result.QPC{Hz: 1e7, UserMode: &no}, Timer: &result.Timer{PeriodNS: 1, CoarsestNS: 10}}
		},
		"Windows, well": func(d *result.Document) {
			d.Host.OS, d.Host.TimeSync = "windows", nil
			d.Host.Windows = &result.Windows{W32Time: &result.W32Time{State: "running", Type: "NTP"}, QPC: &result.QPC{Hz: 1e7, UserMode: &yes}, Timer: &result.Timer{PeriodNS: 15_600_000, FinestNS: 5e5, CoarsestNS: 15_625_000}}
		},
		"one clock that this vDSO does not have": func(d *result.Document) {
			compare.Into(d).Clocks = []compare.Clock{{ID: "time@vdso", Path: "vdso", Reason: "the vDSO has no function time"}}
		},
		"an everyday clock not there, another clock read": func(d *result.Document) {
			compare.Into(d).Clocks[0] = compare.Clock{ID: compare.Of(d).Clocks[0].ID, Path: "vdso", Reason: "no"}
		},
		"Windows, timer asked for": func(d *result.Document) {
			d.Settings.TimerResolutionNS = 1e6
			d.Host.Windows = &result.Windows{Timer: &result.Timer{PeriodNS: 1e6, FinestNS: 5e5, CoarsestNS: 15_625_000}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := well()
			plant(d)
			require.Empty(t, Findings(d))
		})
	}
}

// An experiment of timebench is reported before its consequences, and no other program is suspected.
func TestUnrestoredClockSourceComesFirst(t *testing.T) {
	d := well()
	slow(d, "acpi_pm")
	compare.Into(d).Clocks[0].Resolution.Backwards = 1
	d.Host.UnrestoredClockSource = &result.UnrestoredClockSource{Original: "tsc", PID: 412}
	findings := Findings(d)
	require.Len(t, findings, 3)
	require.Equal(t, "clocksource-unrestored", findings[0].Kind)
	require.Contains(t, findings[0].Title, "left the clock source switched to acpi_pm; it was tsc")
	require.Equal(t, []string{
		"echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
		"cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
	}, findings[0].Remedies[0].Commands)
	require.Equal(t, "kernel-entry", findings[1].Kind)
	require.Contains(t, findings[1].Cause, "An experiment of timebench selected acpi_pm, and was killed")
	require.NotContains(t, findings[1].Cause, "somebody")
}

func TestNoForeignTextInACommand(t *testing.T) {
	const currentSource = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
	for _, original := range []string{"tsc; reboot", "$(reboot)", "`reboot`", "tsc\nreboot", "-n", ""} {
		d := well()
		d.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet", original}}
		d.Host.UnrestoredClockSource = &result.UnrestoredClockSource{Original: original, PID: 412}
		for _, f := range Findings(d) {
			for _, r := range f.Remedies {
				for _, command := range r.Commands {
					require.Contains(t, []string{"echo | sudo tee " + currentSource, "cat " + currentSource}, command, "%q", original)
				}
			}
		}
	}
}

func TestLimit(t *testing.T) {
	d := well()
	require.Nil(t, OverLimit(d, 100))
	require.Nil(t, OverLimit(d, 24.9), "within noise: the interval begins at 24.75")
	over := OverLimit(d, 20)
	require.Equal(t, result.Error, over.Severity)
	require.Equal(t, []string{"CLOCK_MONOTONIC@vdso, CLOCK_REALTIME@vdso · 25 ns/read"}, over.Evidence, "the everyday clocks alone: a system call may cost what it costs")
	require.Equal(t, "an everyday clock costs more than 20 ns/read, the limit", over.Title)
	d.Findings = []result.Finding{*over}
	answer, level := Answer(d)
	require.Equal(t, table.Error, level)
	require.Equal(t, "Reading the clock is fast: 25 ns per read, in user mode (clock source tsc); but an everyday clock costs more than 20 ns/read, the limit.", answer)
}

// Reads of 150 ns in user mode are neither fast nor slow.
func TestAnswerBetweenFastAndSlow(t *testing.T) {
	d := well()
	compare.Into(d).Clocks = clocks(result.Never, 150)
	answer, _ := Answer(d)
	require.Equal(t, "Reading the clock takes 150 ns per read, in user mode (clock source tsc).", answer)
}

// A clock that was not timed does not pass the limit.
func TestLimitWithoutFigures(t *testing.T) {
	d := well()
	eachClock(d, func(c *compare.Clock) { c.Latency = nil })
	compare.Into(d).Clocks[1].Reason = "the kernel mapped no vDSO into this process"
	over := OverLimit(d, 100)
	require.Equal(t, result.Error, over.Severity)
	require.Contains(t, over.Title, "no everyday clock was timed")
	require.Contains(t, over.Title, "100 ns")
	require.Equal(t, []string{"CLOCK_MONOTONIC@vdso · not timed", "CLOCK_REALTIME@vdso · the kernel mapped no vDSO into this process"}, over.Evidence)
	compare.Into(d).Clocks = clocks(result.Never, 25)[5:]
	require.Equal(t, []string{"2 clocks in the result, but none of these"}, OverLimit(d, 1e9).Evidence, "a system call and a counter")
	require.NotNil(t, OverLimit(&result.Document{}, 1))
}

func worded(f result.Finding) string {
	parts := append([]string{f.Title, f.Cause}, f.Evidence...)
	for _, r := range f.Remedies {
		parts = append(append(parts, r.Advice, r.Risk), r.Commands...)
	}
	return strings.Join(append(parts, f.Links...), "\n") + "\n"
}

func TestHealthy(t *testing.T) {
	d := well()
	require.Equal(t, "No problem with the clocks was found.", Healthy(d))
	d.Put(&verify.Verification{CPUs: []int{0, 1}, Clocks: []verify.VerifiedClock{{ID: "CLOCK_MONOTONIC@vdso", Verdict: verify.IsMonotonic, Reads: 1100798}}})
	require.Equal(t, "No problem with the clocks was found. CLOCK_MONOTONIC@vdso never went backwards in 1,100,798 reads on 2 CPUs.", Healthy(d))
	verify.Of(d).Clocks[0].Verdict = verify.OneCPU
	d.Interrupted = true
	require.Equal(t, "Interrupted. No problem with the clocks was found until then.", Healthy(d))
}

// A clock without a measurement is not called healthy.
func TestHealthyWithoutFigures(t *testing.T) {
	require.Equal(t, "Nothing was measured, so the cost of the clocks is unknown. The facts of the machine show no problem.", Healthy(&result.Document{}))
	require.Equal(t, "Nothing was measured, so the cost of the clocks is unknown, and the kernel log could not be read: dmesg: unexpected EOF. The facts of the machine show no problem.",
		Healthy(&result.Document{Host: result.Host{CPU: result.CPU{Logical: 2}, KernelLog: &result.KernelLog{Reason: "dmesg: unexpected EOF"}}}))
	require.Equal(t, "Interrupted before anything was measured: the cost of the clocks is unknown.", Healthy(&result.Document{Interrupted: true}))
	late := &compare.Costs{Clocks: []compare.Clock{{ID: "CLOCK_MONOTONIC@vdso", Path: "vdso", Reason: "failed while it was read: a worker was not let go in time"}}}
	require.Equal(t, "Nothing was measured, so the cost of the clocks is unknown. The facts of the machine show no problem. "+
		"CLOCK_MONOTONIC@vdso was not measured: failed while it was read: a worker was not let go in time.",
		Healthy(&result.Document{Sections: []result.Section{late}}))
}

// If the log has several boots, the answer names its boot.
func TestBootsOfALog(t *testing.T) {
	d := &result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Boots: 3}}}
	require.Equal(t, "From a kernel log alone, the last of its 3 boots: it shows no fault of the clocks. Nothing was measured, so the cost of the clocks is unknown. The earlier boots were not judged.", Healthy(d))
	d.Host.KernelLog.Lines = []string{"tsc: Marking TSC unstable due to clocksource watchdog"}
	require.Contains(t, Findings(d)[0].Title, "from a kernel log alone, the last of its 3 boots: ")
	d.Host.KernelLog.Mixed = true
	const mixed = "from a kernel log alone, with 3 boots that cannot be separated: "
	require.Contains(t, Findings(d)[0].Title, mixed)
	d.Host.CPU.Logical = 2 // a folder has other files
	require.Contains(t, Findings(d)[0].Evidence, "the kernel log has 3 boots that cannot be separated")
}

func verified(id, kind string, faults ...verify.ClockFault) *result.Document {
	return &result.Document{
		Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{{ID: id, Kind: kind}}}, &verify.Verification{Clocks: []verify.VerifiedClock{
			{ID: id, Verdict: verify.Faulty, Witness: "RDTSC@cpu", Faults: faults},
		}}},
	}
}

// A fault of the wall clock that somebody makes by setting it is no finding. The evidence is the sentence of verify.
func TestFaultsOfAVerification(t *testing.T) {
	for _, test := range []struct{ id, kind, fault, finding string }{
		{"RDTSC@cpu", "counter", verify.FaultWarp, "backwards"},
		{"CLOCK_REALTIME@vdso", "wall", verify.FaultWarp, "backwards"},
		{"CLOCK_MONOTONIC@vdso", "monotonic", verify.FaultBackwards, "backwards"},
		{"CLOCK_REALTIME@vdso", "wall", verify.FaultBackwards, ""},
		{"CLOCK_REALTIME@vdso", "wall", verify.FaultJump, ""},
		{"CLOCK_MONOTONIC@vdso", "monotonic", verify.FaultStall, "faulty-clock"},
		{"CLOCK_MONOTONIC@vdso", "monotonic", verify.FaultOutside, "faulty-clock"},
		{"CLOCK_MONOTONIC@vdso", "monotonic", verify.FaultFast, "faulty-clock"},
		{"CLOCK_THREAD_CPUTIME_ID@vdso", "cpu time", verify.FaultAsleep, "faulty-clock"},
		{"ptp0@syscall", "wall", verify.FaultFailed, ""},
	} {
		d := verified(test.id, test.kind, verify.ClockFault{Kind: test.fault, Count: 2, WorstNS: 9e8})
		require.Equal(t, test.finding, kindsOf(d), test)
		if test.finding != "" {
			require.Equal(t, []string{Findings(d)[0].Evidence[0] + "."}, verify.Of(d).Block(d).Faults)
		}
	}
}

// A TSC that goes back is wrong, whatever the kernel log says: no remedy that trusts it is suggested.
func TestTSCThatGoesBackIsNotTrusted(t *testing.T) {
	wrapped := []string{
		"[ 3302.2] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:",
		"[ 3302.2] clocksource:                       'acpi_pm' wd_nsec: 312227950 wd_now: 92367f wd_last: 8128bd mask: ffffff",
		"[ 3302.2] clocksource:                       'tsc' cs_nsec: 4999196389 cs_now: 9e811223a9754 cs_last: 9e80e767df194 mask: ffffffffffffffff",
	}
	d := well()
	d.Host.ClockSource, d.Host.KernelLog.Lines = &result.ClockSource{Current: "acpi_pm", Available: []string{"acpi_pm"}}, wrapped
	require.Len(t, remedy.For(situation.Of(d), "tsc-nowatchdog"), 1)
	compare.Into(d).Clocks[6].Resolution.Backwards = 1
	require.Empty(t, remedy.For(situation.Of(d), "tsc-nowatchdog"), "the counter itself went back")
	compare.Into(d).Clocks[6].Resolution.Backwards = 0
	d.Put(verified("RDTSC@cpu", "counter", verify.ClockFault{Kind: verify.FaultWarp, Count: 1}).Sections[1])
	require.Empty(t, remedy.For(situation.Of(d), "tsc-nowatchdog"))
}

// The diagnosis of a sosreport begins with an answer, and does not list measurements as missing.
func TestAnswerOfFiles(t *testing.T) {
	d := &result.Document{Sections: []result.Section{&compare.Costs{}}, Host: result.Host{
		OS: "linux", CPU: result.CPU{Logical: 8, Usable: 8}, ClockSource: &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}},
	}}
	d.Findings = Findings(d)
	answer, _ := Answer(d)
	require.Equal(t, "The clock source is hpet: each read of the clock enters the kernel. Nothing was measured.", answer)
	require.Equal(t, "the clock source is hpet, which user mode cannot read", d.Findings[0].Title)
	require.Empty(t, NotChecked(d, "no time"))
}

// rules requires of every remedy of every finding on a document that it can be carried out there, changes something,
// and is safe.
func rules(t *testing.T, d *result.Document) {
	t.Helper()
	for _, f := range Findings(d) {
		require.NotEmpty(t, f.Evidence, f.Title)
		require.NotEmpty(t, f.Cause, f.Title)
		seen := map[string]bool{}
		for _, r := range f.Remedies {
			require.False(t, seen[r.Advice], "twice: %s", r.Advice)
			seen[r.Advice] = true
			sound(t, d, r)
		}
	}
}

// sound requires that a remedy can be carried out on a machine, changes something, and is safe.
func sound(t *testing.T, d *result.Document, r result.Remedy) {
	t.Helper()
	h, commands := d.Host, strings.Join(r.Commands, "\n")
	all := r.Advice + "\n" + commands
	guest := h.Virtualization != nil && h.Virtualization.Role == "guest"
	for _, parameter := range []string{"tsc=nowatchdog", "tsc=reliable", "clocksource=tsc", "clocksource=hpet", "clocksource=kvm-clock"} {
		if adds := "add " + parameter; strings.Contains(r.Advice, adds) || strings.Contains(commands, "--args="+parameter) {
			require.NotContains(t, h.BootParameters, parameter, "is set: %s", all)
		}
	}
	require.False(t, situation.Of(d).IsTSCWrong() && strings.Contains(all, "tsc=nowatchdog") && !strings.Contains(r.Advice, "Remove"), "unsafe: %s", all)
	require.False(t, situation.Of(d).IsTSCWrong() && strings.Contains(commands, "echo tsc"), "unsafe: %s", all)
	require.False(t, guest && strings.Contains(r.Advice, "firmware (BIOS)"), "a guest has none: %s", all)
	if h.CPU.InvariantTSC != nil && *h.CPU.InvariantTSC {
		require.NotContains(t, all, "+invtsc", "the bit is set")
	}
	for _, command := range r.Commands {
		require.LessOrEqual(t, len(command), 86, "a command that is wrapped cannot be copied: %s", command)
		require.NotContains(t, command[1:], "#", "a remark has a line of its own; a shell may run it")
		if name, ok := strings.CutPrefix(command, "echo "); ok && strings.Contains(command, "current_clocksource") {
			name, _, _ = strings.Cut(name, " ")
			require.True(t, name == "|" || len(available(d)) == 0 || slices.Contains(available(d), name), "is not available: %s", command)
		}
		for _, tool := range []string{"grubby", "update-grub", "rpm-ostree"} {
			require.False(t, len(h.BootTools) > 0 && strings.Contains(command, "sudo "+tool) && !slices.Contains(h.BootTools, tool), "is not installed: %s", command)
		}
	}
	if h.Container != "" && (strings.Contains(commands, "/sys/devices/system/clocksource") || strings.Contains(commands, "grub")) {
		require.Contains(t, r.Advice, "host", "a container cannot do that: %s", all)
	}
	if h.OS != "linux" {
		require.NotContains(t, commands, "sudo", all)
		require.NotContains(t, commands, "dmesg", all)
	}
}

func available(d *result.Document) []string {
	if d.Host.ClockSource == nil {
		return nil
	}
	return d.Host.ClockSource.Available
}
