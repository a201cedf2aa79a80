package kernellog

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rate of the TSC comes from the most exact line, with its source; a guess is called one.
func TestSourcesOfRates(t *testing.T) {
	const k8 = "Detected 999.582 MHz processor.\nCalibrating delay using timer specific routine.. 4018.95 BogoMIPS (lpj=8037916)"
	interval := func(stamp string) string {
		return stamp + "clocksource: 'tsc' cs_now: 14407b6ec0000 cs_last: 14407b6ec0000 mask: ffffffffffffffff"
	}
	for log, want := range map[string]struct {
		machine Machine
		rate    string
	}{
		k8:                                    {Machine{}, "2.009 GHz, by BogoMIPS"}, // lpj × HZ: 8037916 × 250
		k8 + "\ntsc: Detected 2000.1 MHz TSC": {Machine{}, `2 GHz, by the line "Detected"`},
		"smpboot: Total of 224 processors activated (1121097.93 BogoMIPS)\n" + interval(""):                  {Machine{}, "2.502 GHz, by BogoMIPS"},
		"smpboot: CPU0: Intel(R) Xeon(R) CPU E5-2650 v2 @ 2.60GHz (family: 0x6, model: 0x3e, stepping: 0x4)": {Machine{CPU: "Intel(R) Xeon(R) CPU E5-2650 v2 @ 2.60GHz"}, "2.6 GHz, by the name of the CPU"},
		interval("[ 100000.0] "): {Machine{}, "3.563 GHz, by its value and the uptime, a guess"},
		interval("[ 900000.0] "): {Machine{}, "0 Hz, "}, // it began anew
		interval("[ 100.0] "):    {Machine{TSCHz: 2.1e9}, "2.1 GHz, as the kernel has it"},
	} {
		events := Parse(strings.Split(log, "\n"))
		require.Equal(t, want.rate, rates(events, want.machine.with(MachineOf(events)))["tsc"].String(), log)
	}
	arm := Parse([]string{"Calibrating delay loop (skipped), value calculated using timer frequency.. 108.00 BogoMIPS (lpj=216000)"})
	require.Zero(t, TSCHz(arm), "it has no TSC")
	// The delay loop of a busy virtual machine shows a third less.
	busy := Parse([]string{"tsc: Detected 2596.156 MHz processor", "Calibrating delay using timer specific routine.. 2901.31 BogoMIPS (lpj=5802620)"})
	require.Equal(t, 2596156e3, TSCHz(busy))
	require.Equal(t, `2.596 GHz, by the line "Detected"`, rates(busy, Machine{})["tsc"].String())
	jiffies := Parse([]string{"[    1.520010] clocksource: 'refined-jiffies' wd_now: fffb7210 wd_last: fffb7018 mask: ffffffff"})
	require.Equal(t, "1,000 Hz, by its value, 1.52 s after the boot", rates(jiffies, Machine{})["jiffies"].String())
}

func TestTheCommandLineKeepsNoSecret(t *testing.T) {
	events := Parse([]string{"Kernel command line: root=/dev/sda password=hunter2 tsc=reliable acpi=off"})
	require.Equal(t, "Kernel command line: tsc=reliable acpi=off", events[0].Line)
	require.Equal(t, []string{"tsc=reliable", "acpi=off"}, MachineOf(events).Parameters)
}

func TestMachineOf(t *testing.T) {
	for log, want := range map[string]Machine{
		"DMI: QEMU Standard PC\nHypervisor detected: KVM":                                                           {Guest: true, Hypervisor: "kvm"},
		"Hypervisor detected: Microsoft Hyper-V":                                                                    {Guest: true, Hypervisor: "hyperv"},
		"smpboot: CPU0: Intel QEMU Virtual CPU version 2.0.0 (fam: 06, model: 06, stepping: 03)":                    {Guest: true, Hypervisor: "qemu", CPU: "Intel QEMU Virtual CPU version 2.0.0"},
		"installing Xen timer for CPU 0":                                                                            {Guest: true, Hypervisor: "xen"},
		"Hypervisor detected: Potato":                                                                               {Guest: true, Hypervisor: "Potato"},
		"DMI: OxVM OxVM, BIOS v0.8 05/17/2023":                                                                      {Guest: true, Hypervisor: "bhyve", Firmware: "OxVM OxVM"},
		"DMI: OpenStack Foundation OpenStack Nova, BIOS 1.15.0-1 04/01/2014":                                        {Guest: true, Hypervisor: "kvm", Firmware: "OpenStack Foundation OpenStack Nova"},
		"Switched to clocksource tsc\nTime: HPET clocksource has been installed.":                                   {ClockSource: "hpet", Kernel: "2.6"},
		"Marking TSC unstable due to: cpufreq changes.":                                                             {Kernel: "2.6"},
		"CPU: 5 PID: 2064 Comm: X Tainted: G            E     3.2.0 #4\nTime: hpet clocksource has been installed.": {ClockSource: "hpet", Kernel: "3.2.0"},
		"Switched to clocksource tsc\ntsc: Marking TSC unstable due to x":                                           {}, // grep tsc
		// The kernel uses a timer while it measures the TSC.
		"[    0.0] tsc: Detected 3696.331 MHz processor\n[    0.21] clocksource: Switched to clocksource hpet":                                                                       {},
		"[    0.0] tsc: Detected 3696.331 MHz processor\n[    0.21] clocksource: Switched to clocksource hpet\n[    2.0] rtc_cmos 00:01: hctosys: unable to read the hardware clock": {ClockSource: "hpet"},
		"[    0.0] tsc: Marking TSC unstable due to TSCs unsynchronized\n[    0.21] clocksource: Switched to clocksource hpet":                                                       {ClockSource: "hpet"},
		"Kernel command line: clocksource=hpet\n[    0.0] tsc: Detected 3696.331 MHz processor\n[    0.21] clocksource: Switched to clocksource hpet":                                {ClockSource: "hpet", Parameters: []string{"clocksource=hpet"}},
		"DMI: Dell Inc. PowerEdge R740/0WGD1W, BIOS 2.1 03/2024":                                                                                                                     {Firmware: "Dell Inc. PowerEdge R740"},
		"DMI: Microsoft Corporation Surface Laptop 5":                                                                                                                                {},
		"DMI: Amazon EC2 m5.metal":                      {},
		"DMI: Xen HVM domU, BIOS 4.2.amazon 08/24/2006": {Guest: true, Hypervisor: "xen", Firmware: "Amazon EC2 Xen HVM domU"},
		"DMI: VMware, Inc. VMware20,1":                  {Guest: true, Hypervisor: "vmware"},
		// A clock source of a hypervisor shows a guest, whatever else the log lacks.
		"kvm-clock: cpu 1, msr 1:ffffc041, secondary cpu clock":                                                               {Guest: true, Hypervisor: "kvm"},
		"clocksource: Switched to clocksource xen":                                                                            {Guest: true, Hypervisor: "xen", ClockSource: "xen"},
		"Clocksource 'tsc' skewed -42225380 ns (-42 ms) over watchdog 'kvm-clock' interval of 556248511 ns (556 ms)":          {Guest: true, Hypervisor: "kvm"},
		"clocksource: 'kvm-clock' (not 'tsc') is current clocksource.\ntsc: Marking TSC unstable due to clocksource watchdog": {Guest: true, Hypervisor: "kvm", ClockSource: "kvm-clock"},
		"smpboot: CPU0: Intel(R) Celeron(R) CPU  N2807  @ 1.58GHz (fam: 06, model: 37, stepping: 08)":                         {CPU: "Intel(R) Celeron(R) CPU  N2807  @ 1.58GHz"},
		"CPU0: Intel(R) Xeon(R) CPU           E5430  @ 2.66GHz stepping":                                                      {CPU: "Intel(R) Xeon(R) CPU           E5430  @ 2.66GHz"},
		"smpboot: CPU0: Intel Xeon ...":                                                                                       {CPU: "Intel Xeon"}, "CPU0: Intel P4/Xeon Extended MCE MSRs (24) available": {},
		"clocksource: Switched to clocksource timer@40000c00":                                           {ClockSource: "timer@40000c00"},
		"clocksource: 'tsc' is current clocksource.":                                                    {},
		"virtio_rpmsg_bus virtio0: rpmsg host is online":                                                {},
		"virtio_blk virtio0: [vda] 41943040 512-byte logical blocks":                                    {Guest: true},
		"CPU: 5 PID: 2064 Comm: X Tainted: G            E     5.13.0 #4":                                {Kernel: "5.13.0"},
		"05:56:55.510792 timesync vgsvcTimeSyncWorker: Radical guest time change: 30 966 068 301 000ns": {Guest: true, Hypervisor: "virtualbox"},
		"HyperV: LAPIC Timer Frequency: 0x1e8480":                                                       {Guest: true, Hypervisor: "hyperv"},
		"hv_utils: TimeSync - force sync":                                                               {Guest: true, Hypervisor: "hyperv"},
		"'hyperv_clocksource_tsc_page' wd_nsec: 5 wd_now: 5 wd_last: 1 mask: ffffffffffffffff":          {Guest: true, Hypervisor: "hyperv"},
	} {
		require.Equal(t, want, MachineOf(Parse(strings.Split(log, "\n"))), log)
	}
}

func TestParseIsBounded(t *testing.T) {
	long := "clocksource: Switched to clocksource " + strings.Repeat("x", 5*maxLine)
	for _, e := range Parse([]string{long, "tsc: Marking TSC unstable due to " + strings.Repeat("\x1b[31m", maxLine)}) {
		require.LessOrEqual(t, len(e.Line), 3*maxLine)
		require.NotContains(t, e.Line, "\x1b")
	}
	for _, cpus := range []string{"0-2147483647,1-99999999", "0-8191,0-8191"} {
		events := Parse([]string{"CPUs " + cpus + " ahead of CPU 3 for clocksource tsc."})
		require.Len(t, events, 1)
		require.Empty(t, events[0].CPUs, "no such CPUs exist")
	}
	events := Parse([]string{"Measured 99999999999999999999 cycles TSC warp between CPUs, turning off TSC clock."})
	require.Zero(t, events[0].Cycles, "more than an int64 holds")
	for _, line := range []string{
		"clocksource: 'hpet' wd_nsec: -3000000000 wd_now: 1 wd_last: 1 mask: 0", "clocksource: 'tsc' cs_nsec: 99999999999999999999999 cs_now: 1 cs_last: 1 mask: 0",
		"Clocksource tsc unstable (delta = -99999999999999999999 ns)",
	} {
		e := Parse([]string{line})[0]
		require.False(t, e.Measured, line)
		require.Zero(t, e.IntervalNS+e.SkewNS, line)
	}
	flood := strings.Split(strings.Repeat("hpet1: lost 318 rtc interrupts\n", 5*maxOfKind), "\n")
	events = Parse(append(flood, "tsc: Marking TSC unstable due to clocksource watchdog"))
	require.Len(t, events, maxOfKind+1)
	require.Equal(t, "tsc-unstable", events[maxOfKind].Kind)
	require.Equal(t, 4*maxOfKind+1, events[maxOfKind-2].Count)
	require.Equal(t, 5*maxOfKind-1, events[maxOfKind-1].Index)
	switches := strings.Repeat("clocksource: Switched to clocksource tsc\n", 2*maxOfKind) + "clocksource: Switched to clocksource hpet"
	require.Equal(t, "hpet", MachineOf(Parse(strings.Split(switches, "\n"))).ClockSource, "the last switch counts")
}

func FuzzParse(f *testing.F) {
	for _, example := range examples(f) {
		f.Add(example)
	}
	for _, p := range plantedLogs {
		f.Add(p.log)
	}
	f.Add("clocksource: 'tsc' cs_nsec: -99999999999999999999999 cs_now: ffffffffffffffffff cs_last: 0 mask: 0")
	f.Add("TSC: x\x1b[2J\xff hpet0: 3 comparators, 64-bit 0.000000 MHz counter")
	f.Fuzz(func(t *testing.T, text string) {
		all := strings.Split(text, "\n")
		events := Parse(all)
		require.Equal(t, events, Parse(all))
		require.LessOrEqual(t, len(events), len(all))
		for _, e := range events {
			for _, figure := range []float64{e.IntervalNS, e.WatchdogNS, e.SkewNS, e.DelayNS, e.LimitNS, e.Hz} {
				require.False(t, math.IsNaN(figure) || math.IsInf(figure, 0), e.Line)
			}
			require.LessOrEqual(t, len(e.CPUs), 2*maxCPUs)
			require.LessOrEqual(t, len(e.Line), 3*maxLine)
			require.NotContains(t, e.Line, "\x1b")
			require.Positive(t, e.Count)
		}
		for _, m := range []Machine{{}, {Guest: true, Kernel: "4.4.0"}} {
			causes := Explain(events, m)
			require.Equal(t, causes, Explain(events, m))
			for _, c := range causes {
				require.LessOrEqual(t, len(c.Evidence), maxEvidence)
				require.NotContains(t, c.Text, "NaN", text)
				require.NotContains(t, c.Text, "Inf", text)
				require.NotContains(t, c.Text, "\x1b", text)
				require.True(t, strings.HasSuffix(c.Text, "."), c.Text)
			}
		}
		kept, incomplete := Select(all, 8)
		require.LessOrEqual(t, len(kept), 8)
		require.True(t, incomplete || len(kept) <= len(all))
		again, _ := Select(kept, 8)
		require.Len(t, again, len(kept), "what was selected stays")
	})
}

func TestOlder(t *testing.T) {
	for release, want := range map[string]bool{
		"5.0.21": true, "4.19.0-27-686": true, "5.1.0": false, "5.10.0-28-amd64": false, "6.18.44": false, "3.10.0-1160.el7": true, "": false, "unknown": false,
	} {
		require.Equal(t, want, Older(release, 5, 1), release)
		require.False(t, Older(release, 0, 0), release)
	}
}
