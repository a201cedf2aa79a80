package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
)

// counterWith is the section of a counter of 2.6 GHz that other sources have too.
func counterWith(sources ...counter.CounterRate) *counter.Counter {
	c := &counter.Counter{Clock: "RDTSC@cpu", HZ: 2.6e9, HZBound: 500, Reference: "CLOCK_MONOTONIC_RAW@vdso",
		Sources: sources, Reasons: []counter.CounterReason{}}
	c.Conclude()
	return c
}

// compared plants the comparison of two CPUs by the counter.
func compared(d *result.Document, offsetNS float64) {
	d.Put(&skew.Skew{CPUs: []int{0, 1}, Clocks: []skew.SkewedClock{{ID: "LFENCE+RDTSC@cpu", TicksPerSecond: 2.6e9,
		Pairs: []skew.CPUPair{{CPU: 0, OtherCPU: 1, OffsetNS: offsetNS, BoundNS: 120, RoundTripNS: 200, Rounds: 1000}}}}})
}

// bits sets or clears the bit of an invariant TSC.
func bits(d *result.Document, invariant bool) {
	d.Host.CPU.InvariantTSC, d.Host.CPU.TSCFlags = &invariant, nil
}

// The verdict of each kind of machine, with its decisive reason.
func TestCounterVerdicts(t *testing.T) {
	for name, test := range map[string]struct {
		plant   func(*result.Document)
		sources []counter.CounterRate
		want    string
		says    string
	}{
		"healthy tsc": {func(*result.Document) {}, []counter.CounterRate{{Name: "CPUID 15H", HZ: 2.6e9}}, counter.Yes,
			"the CPUs differ by less than 125 ns (1 pair)"},
		"demoted": {func(d *result.Document) {
			d.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}}
			d.Host.KernelLog.Lines = []string{
				"[   99.0] clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because the skew is too large:",
				"[   99.0] clocksource:                       'hpet' wd_nsec: 503317760 wd_now: 5000000 wd_last: 1000000 mask: ffffffff",
				"[   99.0] clocksource:                       'tsc' cs_nsec: 603317760 cs_now: 2222222222 cs_last: 1111111111 mask: ffffffffffffffff",
				"[   99.0] tsc: Marking TSC unstable due to clocksource watchdog",
			}
		}, nil, counter.No, "the kernel marked the TSC unstable: "},
		"demoted, slow watchdog": {func(d *result.Document) {
			d.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}}
			d.Host.KernelLog.Lines = []string{
				"[   99.0] clocksource: timekeeping watchdog on CPU1: wd-tsc-wd excessive read-back delay of 122781ns vs. limit of 75000ns, wd-wd read-back delay only 32635ns, attempt 3, marking tsc unstable",
				"[   99.0] tsc: Marking TSC unstable due to clocksource watchdog",
			}
		}, nil, counter.NotProven, "the kernel marked the TSC unstable, without a proof: "},
		"arm64, trapped cheaply": {func(d *result.Document) {
			d.Host.Arch, d.Host.CPU = "arm64", result.CPU{Logical: 4, Usable: 4}
			d.Host.KernelLog.Lines = []string{"[    0.0] arch_timer: CPU0: Trapping CNTVCT access"}
			eachClock(d, func(c *compare.Clock) { c.ID = strings.Replace(c.ID, "RDTSC", "CNTVCT_EL0", 1) })
		}, nil, counter.No, "each read traps"},
		"CPUs 5 µs apart": {func(d *result.Document) { compared(d, 5040) }, nil, counter.No,
			"the CPUs differ: CPU 1 is ahead of CPU 0 by 5.04 µs ± 120 ns"},
		"trapped": {func(d *result.Document) {
			eachClock(d, func(c *compare.Clock) {
				if c.ID == "RDTSC@cpu" {
					c.Latency = &compare.Latency{MedianNS: 1200, LowNS: 1190, HighNS: 1210, MinNS: 1180}
				}
			})
		}, nil, counter.No, "each read traps to the kernel or the hypervisor, and takes 1.2 µs"},
		"kvm-clock": {func(d *result.Document) {
			d.Host.Virtualization = guestOf("kvm")
			d.Host.ClockSource = &result.ClockSource{Current: "kvm-clock", Available: []string{"kvm-clock", "tsc"}}
		}, nil, counter.NotProven, "through kvm-clock, whose factors may change when the host migrates the machine"},
		"hpet": {func(d *result.Document) {
			bits(d, false)
			d.Host.Virtualization = guestOf("tcg")
			d.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}}
			d.Host.KernelLog.Lines = []string{"[    0.5] tsc: Marking TSC unstable due to TSCs unsynchronized"}
		}, nil, counter.NotProven, "the kernel marked the TSC unstable, without a proof: the kernel presumes that the TSCs are unsynchronised"},
		"hpet of a real machine": {func(d *result.Document) {
			bits(d, false)
			d.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}}
		}, nil, counter.No, "the CPU does not report an invariant TSC"},
		"the name of the CPU is no fault": {func(*result.Document) {}, []counter.CounterRate{{Name: "CPUID 16H", HZ: 2.4e9, Nominal: true}},
			counter.Yes, "its frequency is 2,600.000 MHz as the kernel counts"},
		"guest without the bit": {func(d *result.Document) {
			bits(d, false)
			d.Host.Virtualization = guestOf("vmware")
		}, nil, counter.NotProven, "the hypervisor (vmware) does not report an invariant TSC"},
		"guest with the bit": {func(d *result.Document) { d.Host.Virtualization = guestOf("kvm") }, nil, counter.Yes,
			"the hypervisor (kvm) reports an invariant TSC"},
		"restored": {func(d *result.Document) {
			d.Host.Virtualization, d.Host.VMClock = guestOf("kvm"), &result.VMClock{DisruptionMarker: "3", Disruptions: 3}
		}, nil, counter.NotProven, "the hypervisor reports 3 disruptions of the counter"},
		"unreliable by the hypervisor": {func(d *result.Document) {
			d.Host.Virtualization = guestOf("kvm")
			d.Host.VMClock = &result.VMClock{DisruptionMarker: "1", Status: result.UnreliableVMClock}
		}, nil, counter.NotProven, "the hypervisor calls its VMClock unreliable"},
		"arm64": {func(d *result.Document) {
			d.Host.Arch, d.Host.CPU = "arm64", result.CPU{Logical: 4, Usable: 4}
			d.Host.ClockSource = &result.ClockSource{Current: "arch_sys_counter", Available: []string{"arch_sys_counter"}}
			d.Host.KernelLog.Lines, d.Sections[1] = nil, &verify.Verification{}
			eachClock(d, func(c *compare.Clock) { c.ID = strings.Replace(c.ID, "RDTSC", "CNTVCT_EL0", 1) })
		}, nil, counter.Yes, "the Arm architecture requires one counter with a fixed rate"},
		"wrong CPUID rate": {func(*result.Document) {}, []counter.CounterRate{{Name: "CPUID 15H", HZ: 2.4e9}}, counter.NotProven,
			"RDTSC@cpu is 2,400.000 MHz by CPUID 15H, but 2,600.000 MHz by CLOCK_MONOTONIC_RAW@vdso: -76,923 ppm"},
		"another rate than the kernel's": {func(d *result.Document) { d.Host.CPU.KernelTSCHz = 2.1e9 }, nil, counter.No, "it does not keep its rate"},
		"forbidden": {func(d *result.Document) {
			eachClock(d, func(c *compare.Clock) {
				if c.ID == "RDTSC@cpu" {
					c.Available, c.Latency, c.Reason = false, nil, "prctl(PR_SET_TSC) forbids this process to read the counter of the CPU"
				}
			})
		}, nil, counter.No, "it cannot be read: prctl(PR_SET_TSC)"},
		"warp": {func(d *result.Document) {
			d.Put(&verify.Verification{Clocks: []verify.VerifiedClock{{ID: "RDTSC@cpu",
				Faults: []verify.ClockFault{{Kind: verify.FaultWarp, Count: 17, WorstNS: 243}}}}})
		}, nil, counter.No, "RDTSC@cpu went backwards 17 times, by up to 243 ns"},
		"TSC_ADJUST, compared": {func(d *result.Document) {
			d.Host.KernelLog.Lines = append(d.Host.KernelLog.Lines, "[    0.5] TSC ADJUST differs: CPU1 0 --> 12000. Restoring",
				"[    0.5] TSC ADJUST compensate: CPU1 observed 12000 warp. Adjust: 12000")
		}, nil, counter.Yes, "after the kernel corrected TSC_ADJUST"},
		"TSC_ADJUST, not compared": {func(d *result.Document) {
			d.Sections = d.Sections[:1]
			d.Host.KernelLog.Lines = append(d.Host.KernelLog.Lines, "[    0.5] TSC ADJUST compensate: CPU1 observed 12000 warp. Adjust: 12000")
		}, nil, counter.NotProven, "the CPUs were not compared since"},
		"only compared by the kernel": {func(d *result.Document) { d.Sections = d.Sections[:1] }, nil, counter.Yes,
			"the kernel found no difference between the CPUs when they started"},
		"never compared": {func(d *result.Document) {
			d.Sections, d.Host.BootParameters = d.Sections[:1], []string{"tsc=reliable"}
		}, nil, counter.NotProven, "the CPUs were not compared"},
		"a busy machine": {func(d *result.Document) {
			compared(d, 0)
			skew.Of(d).Clocks[0].Pairs[0].BoundNS = 50_000
		}, nil, counter.NotProven, "it is unknown whether the CPUs have the same value"},
		"one CPU":    {func(d *result.Document) { d.Sections, d.Host.CPU.Logical = d.Sections[:1], 1 }, nil, counter.Yes, "there is one CPU"},
		"not timed":  {func(d *result.Document) { compare.Into(d).Clocks = nil }, nil, counter.NotProven, "the cost of a read is unknown"},
		"unselected": {func(d *result.Document) { d.Host.ClockSource.Current = "hpet" }, nil, counter.NotProven, "the kernel offers tsc but uses hpet"},
		"sandbox":    {func(d *result.Document) { d.Host.ClockSource = nil }, nil, counter.NotProven, "the clock source of the kernel is unknown"},
		"Windows, QPC by the TSC": {func(d *result.Document) {
			user := true
			d.Host.OS, d.Host.ClockSource, d.Host.KernelLog = "windows", nil, nil
			d.Host.Windows = &result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &user}}
		}, nil, counter.Yes, "QueryPerformanceCounter reads it in user mode"},
		"KVM found it going back": {func(d *result.Document) {
			d.Host.Virtualization = guestOf("kvm")
			d.Host.ClockSource = &result.ClockSource{Current: "kvm-clock", Available: []string{"kvm-clock", "acpi_pm"}}
			d.Host.KernelLog.Lines = []string{"[   99.0] tsc: Marking TSC unstable due to KVM discovered backwards TSC"}
		}, nil, counter.No, "the kernel marked the TSC unstable: the TSC went back"},
		"kvm-clock, CPUs apart": {func(d *result.Document) {
			compared(d, 5040)
			d.Host.Virtualization = guestOf("kvm")
			d.Host.ClockSource = &result.ClockSource{Current: "kvm-clock", Available: []string{"kvm-clock", "tsc"}}
		}, nil, counter.No, "the CPUs differ: CPU 1 is ahead of CPU 0"},
		"first domain of Xen": {func(d *result.Document) {
			d.Host.Virtualization = &result.Virtualization{System: "xen", Role: "host"}
		}, nil, counter.Yes, "the kernel uses it as its clock source (tsc)"},
		"Windows, by the page of Hyper-V": {func(d *result.Document) {
			user := true
			d.Host.OS, d.Host.ClockSource, d.Host.KernelLog, d.Host.Virtualization = "windows", nil, nil, guestOf("hyperv")
			d.Host.Windows = &result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &user, HypervisorPage: true}}
		}, nil, counter.NotProven, "the kernel reads it through the page of hyperv"},
		"Windows, a host of Hyper-V": {func(d *result.Document) {
			user := true
			d.Host.OS, d.Host.ClockSource, d.Host.KernelLog = "windows", nil, nil
			d.Host.Virtualization = &result.Virtualization{System: "hyperv", Role: "guest or host"}
			d.Host.Windows = &result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &user, HypervisorPage: true}}
		}, nil, counter.Yes, "QueryPerformanceCounter reads it in user mode"},
		"the kernel knows a wrong rate": {func(d *result.Document) {
			d.Host.KernelLog.Lines = []string{
				"[    0.0] tsc: Detected 2600.100 MHz processor",
				"[    1.9] tsc: Warning: TSC freq calibrated by CPUID/MSR differs from what is calibrated by HW timer, please check with vendor!!",
				"[    1.9] tsc: Previous calibrated TSC freq:\t 2600.100 MHz", "[    1.9] tsc: TSC freq recalibrated by [HPET]:\t 2400.100 MHz",
			}
		}, nil, counter.NotProven, "the kernel log doubts the TSC, without a proof: the CPU reports a wrong rate of its TSC"},
		"failed the kernel's comparison": {func(d *result.Document) { // proton-ge-custom#784
			d.Host.ClockSource = &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}}
			d.Host.KernelLog.Lines = append(d.Host.KernelLog.Lines, "[    0.5] tsc: Marking TSC unstable due to check_tsc_sync_source failed")
		}, nil, counter.No, "the kernel marked the TSC unstable: the TSCs of the CPUs differ"},
		"switched off by a parameter": {func(d *result.Document) {
			d.Host.ClockSource, d.Host.BootParameters = &result.ClockSource{Current: "hpet", Available: []string{"hpet", "acpi_pm"}}, []string{"tsc=unstable"}
			d.Host.KernelLog.Lines = append(d.Host.KernelLog.Lines, "[    0.0] tsc: Marking TSC unstable due to boot parameter")
		}, nil, counter.NotProven, "without a proof: the kernel command line switches the TSC off"},
		"an unreadable VMClock": {func(d *result.Document) {
			d.Host.Virtualization, d.Host.VMClock = guestOf("kvm"), &result.VMClock{Reason: "/dev/vmclock0: permission denied"}
		}, nil, counter.Yes, "the hypervisor (kvm) reports an invariant TSC"},
		"FreeBSD": {func(d *result.Document) {
			d.Host.OS, d.Host.ClockSource, d.Host.KernelLog = "freebsd", &result.ClockSource{Current: "TSC-low"}, nil
		}, nil, counter.Yes, "the kernel uses it as its clock source (TSC-low)"},
	} {
		d := well()
		compared(d, -5)
		test.plant(d)
		c := &counter.Counter{Clock: "RDTSC@cpu", HZ: 2.6e9, HZBound: 500, Reference: "CLOCK_MONOTONIC_RAW@vdso", Sources: test.sources}
		if d.Host.Arch == "arm64" {
			c.Clock = "CNTVCT_EL0@cpu"
		}
		JudgeCounter(d, c)
		says := false
		for _, r := range c.Reasons {
			says = says || r.Conclusion == test.want && strings.Contains(r.Evidence, test.says)
			require.NotEmpty(t, r.Conclusion)
		}
		require.Equal(t, test.want, c.Verdict, "%s: %v", name, c.Reasons)
		require.True(t, says, "%s: %q is not a reason: %v", name, test.says, c.Reasons)
	}
}

// The kernel's rate is a source: the last line of its log counts, and its first measurement is nominal.
func TestKernelRateOfTheCounter(t *testing.T) {
	lines := []string{"[    0.0] tsc: Detected 2500.000 MHz processor", "[    0.0] tsc: Detected 2599.900 MHz TSC",
		"[    1.9] tsc: Refined TSC clocksource calibration: 2600.010 MHz"}
	for _, test := range []struct {
		lines, flags []string
		source       string
		want         counter.CounterRate
	}{
		{lines, nil, "tsc", counter.CounterRate{Name: "kernel log, Refined TSC", HZ: 2.60001e9}},
		{lines[:2], nil, "tsc", counter.CounterRate{Name: "kernel log, Detected TSC", HZ: 2.5999e9, Nominal: true}},
		{lines[:1], nil, "tsc", counter.CounterRate{Name: "kernel log, Detected processor", HZ: 2.5e9, Nominal: true}},
		{lines[:2], []string{"tsc_known_freq"}, "tsc", counter.CounterRate{Name: "kernel log, Detected TSC", HZ: 2.5999e9}},
		{nil, nil, "tsc", counter.CounterRate{Name: "kernel, multiplier and shift", HZ: 2.6001e9}},
		{nil, nil, "hpet", counter.CounterRate{Name: "kernel, multiplier and shift", HZ: 2.6001e9, Nominal: true}},
	} {
		d := well()
		d.Host.KernelLog.Lines, d.Host.CPU.TSCFlags, d.Host.ClockSource.Current = test.lines, test.flags, test.source
		c := counterWith()
		JudgeCounter(d, c)
		require.Len(t, c.Sources, 1)
		c.Sources[0].PPM = 0
		require.Equal(t, test.want, c.Sources[0])
	}
}

// Where the reference counts by the same counter, the frequency is what the kernel assumes, on every system.
func TestFrequencyOfTheKernel(t *testing.T) {
	user := true
	for name, test := range map[string]struct {
		plant func(*result.Host)
		want  bool
	}{
		"tsc": {func(*result.Host) {}, true},
		"tsc, with a doubt in the log": {func(h *result.Host) {
			h.KernelLog.Lines = []string{"[    0.5] tsc: Marking TSC unstable due to check_tsc_sync_source failed"}
		}, true},
		"hpet":      {func(h *result.Host) { h.ClockSource.Current = "hpet" }, false},
		"kvm-clock": {func(h *result.Host) { h.ClockSource.Current, h.Virtualization = "kvm-clock", guestOf("kvm") }, true},
		"macOS":     {func(h *result.Host) { h.OS, h.ClockSource = "darwin", nil }, true},
		"FreeBSD":   {func(h *result.Host) { h.OS, h.ClockSource.Current = "freebsd", "TSC-low" }, true},
		"Windows, TSC": {func(h *result.Host) {
			h.OS, h.ClockSource, h.Windows = "windows", nil, &result.Windows{QPC: &result.QPC{Hz: 1e7, UserMode: &user}}
		}, true},
		"Windows, HPET": {func(h *result.Host) {
			h.OS, h.ClockSource, h.Windows = "windows", nil, &result.Windows{QPC: &result.QPC{Hz: 14_318_180}}
		}, false},
	} {
		d := well()
		test.plant(&d.Host)
		c := counterWith()
		JudgeCounter(d, c)
		require.Equal(t, test.want, c.OfKernel, name)
	}
}

// A document that is no result of timebench does not end the program.
func TestSourcesWithoutAReference(t *testing.T) {
	d := well()
	d.Put(&counter.Counter{Clock: "RDTSC@cpu", HZ: 2.6e9, Sources: []counter.CounterRate{{Name: "CPUID 15H", HZ: 2e9, PPM: -230_000}}})
	require.NotEmpty(t, wrongFrequency(situation.Of(d)).Evidence)
}

// Each counter has a rule. Without one, its frequency alone proves nothing.
func TestCounterRules(t *testing.T) {
	for _, id := range clock.PlainCounters {
		require.Contains(t, counterRules, id)
	}
	c := &counter.Counter{Clock: "ABC@cpu", HZ: 1e9}
	JudgeCounter(well(), c)
	require.Equal(t, counter.NotProven, c.Verdict)
}
