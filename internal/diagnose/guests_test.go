package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diagnose/attachment"
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
)

// A remedy is suggested to the guests where its user can do it, and says what is true there.
func TestAdviceFitsTheGuest(t *testing.T) {
	source := func(current string, offered ...string) func(*result.Host) {
		return func(h *result.Host) {
			h.ClockSource = &result.ClockSource{Current: current, Available: append([]string{current}, offered...)}
		}
	}
	kernel := func(release string) func(*result.Host) { return func(h *result.Host) { h.Kernel = release } }
	made := func(vendor, product string) func(*result.Host) {
		return func(h *result.Host) { h.Machine = &result.Machine{Vendor: vendor, Product: product} }
	}
	cpu := func(model string) func(*result.Host) { return func(h *result.Host) { h.CPU.Model = model } }
	container := func(h *result.Host) { h.Container = "lxc" }
	runs := func(service string) func(*result.Host) {
		return func(h *result.Host) { h.TimeServices = []result.TimeService{{Name: service}} }
	}
	wsl := kernel("6.6.87.2-microsoft-standard-WSL2")
	page := source("hyperv_clocksource_tsc_page")
	azure := made("Microsoft Corporation", "Virtual Machine")
	var nothing []string
	for _, test := range []struct {
		remedy, system string
		says           []string // nothing if it is not suggested
		facts          []func(*result.Host)
	}{
		{"hypervisor-clock", "kvm", []string{"kvm-clock", "It may not count the time of a pause"}, facts(source("tsc", "kvm-clock"))},
		{"hypervisor-clock", "kvm", nothing, facts(source("kvm-clock", "tsc"))},
		{"clock-of-each-cpu", "kvm", []string{"corrects the TSC of each virtual CPU: kvm-clock"}, facts(source("tsc", "kvm-clock"))},
		{"clock-of-each-cpu", "hyperv", nothing, facts(source("tsc", "hyperv_clocksource_tsc_page"))},
		{"timer-of-all-cpus", "hyperv", []string{"echo acpi_pm"}, facts(source("tsc", "hyperv_clocksource_tsc_page", "acpi_pm"))},
		{"timer-of-all-cpus", "virtualbox", []string{"echo acpi_pm"}, facts(source("tsc", "acpi_pm"))},
		{"timer-of-all-cpus", "kvm", nothing, facts(source("tsc", "kvm-clock", "acpi_pm"))},
		{"timer-of-all-cpus", "virtualbox", nothing, facts(source("acpi_pm"))},
		{"timer-of-all-cpus", "", nothing, facts(source("tsc", "acpi_pm"))},
		{"newer-kernel-hyperv", "hyperv", []string{"5.10 to 5.13"}, facts(page, kernel("5.10.74.1"))},
		{"newer-kernel-hyperv", "hyperv", nothing, facts(page, kernel("5.14.0"))},
		{"newer-kernel-hyperv", "hyperv", nothing, facts(page, kernel("5.4.0"))},
		{"newer-kernel-hyperv", "hyperv", nothing, facts(source("hyperv_clocksource_msr"), kernel("5.10.74.1"))},
		{"hyperv-version", "hyperv", []string{"configuration version"}, nil},
		{"hyperv-version", "hyperv", []string{"deallocate"}, facts(azure)},
		{"restart-host", "hyperv", []string{"restart the host (Windows)"}, facts(wsl)},
		{"restart-host", "hyperv", nothing, facts(azure)},
		{"one-service", "kvm", []string{"Keep one time service"}, nil},
		{"one-service", "hyperv", nothing, facts(wsl)},
		{"one-service-wsl", "hyperv", []string{"timedatectl set-ntp false"}, facts(wsl)},
		{"one-service-wsl", "hyperv", nothing, facts(kernel("6.6.87"))},
		{"vbox-without-kvm-clock", "virtualbox", []string{"no-kvmclock"}, facts(source("kvm-clock"))},
		{"vbox-set-start", "virtualbox", []string{"--timesync-set-start"}, nil},
		{"vbox-set-start", "vmware", nothing, nil},
		{"vbox-without-kvm-clock", "kvm", nothing, facts(source("kvm-clock"))},
		{"rate-of-the-hypervisor", "hyperv", []string{"tsc_early_khz=KHZ"}, nil},
		{"rate-of-the-hypervisor", "", nothing, nil},
		{"start-again", "kvm", []string{"measures the TSC rate"}, nil},
		{"start-again", "kvm", []string{"In a cloud, this erases local disks"}, facts(made("Vultr", "VHF"))},
		{"reach-servers", "kvm", nothing, nil},
		{"reach-servers", "kvm", []string{"UDP port 123", "timedatectl timesync-status"}, facts(runs("systemd-timesyncd"))},
		{"start-service", "kvm", nothing, facts(runs("chronyd"))},
		{"start-service", "kvm", []string{"start the one that is installed"}, facts(runs("VBoxService"))},
		{"show-kvm", "qemu", []string{"let it show KVM"}, facts(cpu("12th Gen Intel(R) Core(TM) i7-12700H"))},
		{"show-kvm", "qemu", []string{"let it show KVM"}, facts(cpu("AMD Ryzen 9 5950X 16-Core Processor"))},
		{"show-kvm", "qemu", nothing, facts(cpu("QEMU Virtual CPU version 2.5+"))},
		{"show-kvm", "qemu", nothing, facts(cpu("Intel(R) Core(TM)2 Duo CPU     T7700  @ 2.40GHz"))},
		{"show-kvm", "kvm", nothing, facts(cpu("12th Gen Intel(R) Core(TM) i7-12700H"))},
		{"accel-kvm", "qemu", nothing, facts(cpu("12th Gen Intel(R) Core(TM) i7-12700H"))},
		{"accel-kvm", "qemu", []string{"Use KVM"}, facts(cpu("Intel Xeon Processor (Skylake)"))},
		{"update-firmware", "", []string{"of the host of this container"}, facts(container)},
		{"cold-boot", "", []string{"the host of this container"}, facts(container)},
		{"restart-vm", "kvm", []string{"Restart the virtual machine"}, nil},
		{"restart-vm", "", nothing, nil},
		{"kvm-clock-in-guest", "kvm", []string{"CONFIG_KVM_GUEST"}, nil},
		{"guest-halt-poll", "kvm", []string{"modprobe cpuidle-haltpoll force=1"}, nil},
		{"load-ptp-kvm", "kvm", []string{"/dev/ptp_kvm"}, nil},
		{"less-overcommit", "kvm", []string{"fewer virtual CPUs"}, facts(made("QEMU", "Standard PC (Q35 + ICH9, 2009)"))},
		{"less-overcommit", "kvm", []string{"ask the provider"}, facts(made("Hetzner", "vServer"))},
		{"host-on-tsc", "kvm", []string{"Check on the host"}, nil},
		{"host-on-tsc", "kvm", nothing, facts(made("DigitalOcean", "Droplet"))},
		{"host-on-tsc", "kvm", nothing, facts(made("Google", "Google Compute Engine"))},
		{"untrap", "xen", []string{"Configure the hypervisor"}, nil},
		{"untrap", "xen", []string{"another type of machine"}, facts(made("Amazon EC2", "m4.large"))},
		{"cloud-time", "kvm", []string{"ntp.cloud.aliyuncs.com"}, facts(made("Alibaba Cloud", "Alibaba Cloud ECS"))},
		{"cloud-time", "kvm", nothing, facts(made("Vultr", "VHF"))},
		{"leave-it", "", []string{"the kernel is right"}, facts(source("hpet"))},
		{"leave-it", "", nothing, facts(source("jiffies"))},
		{"leave-it", "", nothing, facts(source("pit"))},
	} {
		d := well()
		if test.system != "" {
			d.Host.Virtualization = guestOf(test.system)
		}
		for _, change := range test.facts {
			change(&d.Host)
		}
		name := test.remedy + " " + test.system + " " + d.Host.Kernel
		found := remedy.For(situation.Of(d), test.remedy)
		require.Len(t, found, min(len(test.says), 1), name)
		for _, r := range found {
			requireText(t, strings.Join(append(r.Commands, r.Advice, r.Risk), "\n"), test.says, nil, name)
		}
	}
}

func facts(changes ...func(*result.Host)) []func(*result.Host) { return changes }

// A counter that goes back in a guest of KVM is no fault of its firmware: the clock of KVM is there.
func TestGuestWhoseTSCGoesBack(t *testing.T) {
	d := well()
	d.Host.Virtualization = guestOf("kvm")
	d.Host.ClockSource = &result.ClockSource{Current: "tsc", Available: []string{"tsc", "kvm-clock"}}
	d.Put(apart())
	text := said(d)
	requireText(t, text, []string{"clocksource=kvm-clock", "TSC offsets of its CPUs must match"},
		[]string{"firmware (BIOS)", "accounts for pauses", "message appears"}, "apart")
}

// A log that does not say whether the machine is virtual has the advice for a real one with its condition, and none that
// only a virtual machine can follow: a reboot serves both. This one is of Docker Desktop.
func TestLogOfAGuestThatDoesNotSaySo(t *testing.T) {
	d, err := attachment.Read("x", strings.NewReader(
		"[  872.777059] clocksource: timekeeping watchdog on CPU2: Marking clocksource 'tsc' as unstable because the skew is too large:\n"+
			"[  872.778234] clocksource:                       'hpet' wd_now: 8cddf09 wd_last: 7832acf mask: ffffffff\n"+
			"[  872.779403] clocksource:                       'tsc' cs_now: 1a1732a0c3cd cs_last: 1a160708bcdd mask: ffffffffffffffff\n"+
			"[  872.783568] clocksource: Switched to clocksource hpet\n"))
	require.NoError(t, err)
	requireText(t, said(d), []string{"On a real machine, update the firmware", "Reboot, and check"},
		[]string{"estart the virtual machine", "their host sleeps"}, "for-mac#2747")
	d, err = attachment.Read("x", strings.NewReader("[    0.149339] Measured 1430554 cycles TSC warp between CPUs, turning off TSC clock.\n"+
		"[  215.019676] kvm: SMP vm created on host with unstable TSC; guest TSC will not be reliable\n"))
	require.NoError(t, err)
	requireText(t, said(d), []string{"update the firmware"}, []string{"restart the virtual machine"}, "a host")
}

// The advice on a log alone fits what the log shows of the machine.
func TestAdviceOfALog(t *testing.T) {
	const mark, hpet = "[ 9.1] tsc: Marking TSC unstable due to clocksource watchdog\n", "[ 9.2] clocksource: Switched to clocksource hpet\n"
	const ticks = "[ 9.2] clocksource: Switched to clocksource refined-jiffies\n"
	readBack := func(cpu string) string {
		return "[ 9.0] clocksource: timekeeping watchdog on CPU" + cpu + ": hpet read-back delay of 60666ns, attempt 4, marking unstable\n" + mark + hpet
	}
	interval := func(cpu, watchdog, name string) string {
		return "[ 9.0] clocksource: timekeeping watchdog on CPU" + cpu + ": Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
			"[ 9.0] clocksource: '" + name + "' wd_now: " + watchdog + " mask: ffffffffffffffff\n" +
			"[ 9.0] clocksource: 'tsc' cs_now: 254aa24747 cs_last: 25104a5bfd mask: ffffffffffffffff\n" + mark
	}
	for name, test := range map[string]struct {
		log         string
		says, never []string
	}{
		"only ticks": {mark + ticks, []string{"Give the kernel a real timer"}, []string{"acpi=off from the kernel command line"}},
		"only ticks, without ACPI": {
			"[ 9.0] ACPI: Interpreter disabled.\n" + mark + ticks,
			[]string{"Remove acpi=off from the kernel command line (check with `cat /proc/cmdline`)", "so that the kernel finds a timer", "Give the kernel a real timer"}, nil,
		},
		"ticks beside a timer": {
			"[ 0.1] clocksource: acpi_pm: mask: 0xffffff max_cycles: 0xffffff, max_idle_ns: 2085701024 ns\n" + mark + ticks,
			[]string{"marked the TSC unstable"}, []string{"real timer"},
		},
		"a timer": {mark + hpet, nil, []string{"real timer"}},
		"a slow read, few CPUs": {
			readBack("6"), []string{"Use Linux 5.16 or later", "PC10", "pauses the watchdog"}, nil,
		},
		"a slow read, a younger kernel": {"[ 0.0] Linux version 5.17.0\n" + readBack("6"), []string{"Linux 6.9"}, []string{"Use Linux 5.16 or later"}},
		"a slow read, 17 CPUs":          {readBack("16"), []string{"Use Linux 5.16 or later"}, []string{"PC10"}},
		"a slow read, many CPUs":        {readBack("64"), []string{"with many CPUs"}, []string{"Use Linux 5.16 or later", "PC10"}},
		"an interval, few CPUs":         {interval("3", "628dd7b wd_last: 5fef431", "hpet"), []string{"PC10", "add hpet=disable"}, nil},
		"an interval, 17 CPUs":          {interval("16", "628dd7b wd_last: 5fef431", "hpet"), []string{"marked"}, []string{"Use Linux 5.15", "hpet=disable"}},
		"VirtualBox with kvm-clock": {
			"[ 0.0] DMI: innotek GmbH VirtualBox/VirtualBox, BIOS VirtualBox 12/01/2006\n" + interval("6", "9f7fd12d7b9 wd_last: 25fd713400f", "kvm-clock"),
			[]string{"virtual machine"}, []string{"VBoxManage modifyvm"},
		},
		"VirtualBox that has kvm-clock at its boot": {
			"[ 0.0] DMI: innotek GmbH VirtualBox/VirtualBox, BIOS VirtualBox 12/01/2006\n[ 0.1] kvm-clock: cpu 1, msr 18e01041, secondary cpu clock\n" +
				"[ 0.9] Measured 57359 cycles TSC warp between CPUs, turning off TSC clock.\n",
			[]string{"virtual machine"}, []string{"VBoxManage modifyvm"},
		},
		"kvm-clock beside a TSC that may be right": {
			interval("0", "b61df70527 wd_last: b5ff72e7d3", "kvm-clock"), []string{"Check on the host"}, []string{"erases local disks"},
		},
		"kvm-clock that jumped": {
			interval("0", "c61df70527 wd_last: b5ff72e7d3", "kvm-clock"), []string{"erases local disks"}, nil,
		},
		"an HPET and a TSC far apart": {
			"[ 9.0] tsc: Detected 2000.000 MHz processor\n" + interval("64", "628dd7b wd_last: 5fef431", "acpi_pm"), []string{"firmware"}, []string{"nowatchdog"},
		},
		"an IOMMU of a real machine": {
			"[ 8.9] AMD-Vi: Completion-Wait loop timed out\n" + interval("64", "628dd7b wd_last: 5fef431", "hpet"), []string{"find the device for which the IOMMU waits", "Update the firmware"}, []string{"virtual machine", "On a real machine", "update the firmware"},
		},
		"a disk that does not answer": {
			"[ 8.9] ata1: lost interrupt (Status 0x50)\n" + interval("64", "628dd7b wd_last: 5fef431", "hpet"), []string{"something held a CPU up between the two reads", "check the disk that does not answer"}, []string{"IOMMU"},
		},
		"a real-time clock in 1970": {
			"[ 2.1] sunxi-rtc 7090000.rtc: setting system clock to 1970-01-01T00:00:21 UTC (21)\n", []string{"When the wall clock is right, not before", "boards have none"}, []string{"no battery"},
		},
		"a failed read of the HPET": {
			interval("64", "ffffffffffffffff wd_last: 5fef431", "hpet"), []string{"the read failed", "hpet=disable", "firmware"}, []string{"slept", "sleeps"},
		},
		"clocks that nearly agree": {
			"clocksource: timekeeping watchdog on CPU7: Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
				"clocksource: 'hpet' wd_nsec: 495997815 wd_now: 36f24f3 wd_last: 302c799 mask: ffffffff\n" +
				"clocksource: 'tsc' cs_nsec: 497721239 cs_now: 1ea2752100 cs_last: 1e43b3e700 mask: ffffffffffffffff\n" + mark + hpet,
			[]string{"Find out which clock is wrong", "On a real machine, update the firmware"}, []string{"Docker Desktop", "nowatchdog"},
		},
		"a warp at the boot": {
			"[ 0.1] Measured 9893444143 cycles TSC warp between CPUs, turning off TSC clock.\n" + mark + hpet,
			[]string{"update the firmware"}, []string{"Docker Desktop"},
		},
		"an old clock of Hyper-V": {
			"[ 2.1] clocksource: Switched to clocksource hyperv_clocksource\n", []string{"every read is a system call", "Use Linux 4.12 or later"},
			[]string{"configuration version"},
		},
		"a real-time clock in 1970, and chronyd": {
			"[ 2.1] sunxi-rtc 7090000.rtc: setting system clock to 1970-01-01T00:00:21 UTC (21)\n" +
				"chronyd[7]: System clock was stepped by 19461.487274 seconds\n", []string{"write it to the real-time clock"}, []string{"enable --now"},
		},
		"a kernel of 5.13 or later": {
			"clocksource: timekeeping watchdog on CPU5: Marking clocksource 'tsc-early' as unstable because the skew is too large:\n" +
				"clocksource: 'refined-jiffies' wd_nsec: 500000000 wd_now: fffb7018 wd_last: fffb6f9b mask: ffffffff\n" +
				"clocksource: 'tsc-early' cs_nsec: 1224152026 cs_now: 68a6a7070f6a0 cs_last: 68a69ab6f74d6 mask: ffffffffffffffff\n" +
				"tsc: Marking TSC unstable due to clocksource watchdog\n",
			[]string{"counts timer interrupts", "Reboot, and check"}, []string{"Use Linux 5.4"},
		},
		"a rate, of a board or a PC": {"ntpd[9]: frequency error -512 PPM exceeds tolerance 500 PPM", []string{"On a board, use a kernel or firmware"}, nil},
	} {
		d, err := attachment.Read("x", strings.NewReader(test.log))
		require.NoError(t, err, name)
		requireText(t, said(d), test.says, test.never, name)
	}
}

// The firmware's names in a log show whether advice for virtual machines, or for the owner of the host, fits.
func TestAdviceFitsTheFirmwareOfALog(t *testing.T) {
	const jumped = "clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
		"clocksource: 'hpet' wd_now: 26f996f9 wd_last: 259dc06c mask: ffffffff\n" +
		"clocksource: 'tsc' cs_now: 30a74110f014 cs_last: 2e862b2eb048 mask: ffffffffffffffff\n"
	const xen = "Hypervisor detected: Xen HVM\nclocksource: Switched to clocksource xen\n"
	const reboot, restart = "reboot: the kernel does not trust", "restart the virtual machine"
	const native, nitro = `tsc_mode="native"`, "select tsc if the kernel offers it"
	for _, test := range []struct{ log, says, never string }{
		{jumped, reboot, restart},
		{"DMI: QEMU Standard PC (Q35 + ICH9, 2009), BIOS 1.16 04/01/2014\n" + jumped, restart, "firmware (bios)"},
		{"DMI: Nutanix AHV/, BIOS 1.11 04/01/2014\n" + jumped, reboot, "remedy: update the firmware"},
		{"DMI: Dell Inc. OptiPlex 7010/0KRC95, BIOS A29 06/28/2018\n" + jumped, "firmware", restart},
		{"DMI: Xen HVM domU, BIOS 4.17.0 04/25/2023\n" + xen, native, ""},
		{"DMI: Xen HVM domU, BIOS 4.11.amazon 08/24/2006\n" + xen, nitro, native},
	} {
		d, err := attachment.Read("dmesg.txt", strings.NewReader("Linux version 4.14.1\n"+test.log))
		require.NoError(t, err)
		text := said(d)
		require.Contains(t, strings.ToLower(text), strings.ToLower(test.says), test.log)
		if test.never != "" {
			require.NotContains(t, strings.ToLower(text), strings.ToLower(test.never), test.log)
		}
	}
}

// Without a sign of a real-time clock, doctor does not advise to set it.
func TestNoAdviceForAMissingRealTimeClock(t *testing.T) {
	const behind = "systemd-timesyncd[227]: System clock time unset or jumped backwards, restoring from recorded timestamp\n"
	for log, advised := range map[string]bool{
		behind: false,
		"rtc-pcf8563 1-0051: low voltage detected, date/time is not reliable.\n" + behind: true,
	} {
		d, err := attachment.Read("dmesg.txt", strings.NewReader("Linux version 4.14.1\n"+log))
		require.NoError(t, err)
		require.Equal(t, advised, strings.Contains(said(d), "hwclock"), log)
	}
}

// A machine without the time does not write its time to the real-time clock before a time service has set it.
func TestServiceBeforeTheRealTimeClock(t *testing.T) {
	d, err := attachment.Read("dmesg.txt", strings.NewReader("[ 2.1] rtc0: setting system clock to 1970-01-01T00:00:21 UTC (21)\n"))
	require.NoError(t, err)
	service, write, found := strings.Cut(said(d), "start the one that is installed")
	require.True(t, found)
	require.Contains(t, write, "hwclock --systohc")
	require.NotContains(t, service, "hwclock --systohc")
}

// A real-time clock that differs from a wall clock is set; no service is started, since one may have set the wall clock.
func TestRealTimeClockThatDiffersIsSet(t *testing.T) {
	for _, log := range []string{
		"Universal time: Sun 2019-11-29 09:00:00 UTC\nRTC time: Sat 2000-01-01 00:00:00\nSystem clock synchronized: yes\n",
		"System Time: 1682322859.429001\nTime read from Hardware Clock: 2013/01/18 09:32:22\n",
	} {
		d, err := attachment.Read("output.txt", strings.NewReader(log))
		require.NoError(t, err)
		require.Contains(t, said(d), "hwclock --systohc", log)
		require.NotContains(t, said(d), "start the one that is installed", log)
	}
}

// The evidence of lines that repeat counts each of them.
func TestRepeatedLinesAreCounted(t *testing.T) {
	const failed = " drake ntpd[23556]: adjtime failed: Operation not permitted\n"
	d, err := attachment.Read("x", strings.NewReader("Mar  6 23:26:30"+strings.Repeat(failed+"Mar  6 23:30:55", 3)+failed+"Mar  6 23:40:02"+failed))
	require.NoError(t, err)
	requireText(t, said(d), []string{"(logged 4 times)", "23:40:02"}, nil, "five lines")
}

// A check that ran late asks what held the machine up, before anything about its kernel or its clocks.
func TestAStallIsLookedForFirst(t *testing.T) {
	const late = "[26977.145667] clocksource: timekeeping watchdog: Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
		"[26977.145674] clocksource:                       'acpi_pm' wd_now: b79ba9 wd_last: 2b48e8 mask: ffffff\n" +
		"[26977.145677] clocksource:                       'tsc' cs_now: 3b38b887b25f cs_last: 3b374676f961 mask: ffffffffffffffff\n"
	d, err := attachment.Read("x", strings.NewReader(late))
	require.NoError(t, err)
	require.Contains(t, Findings(d)[0].Remedies[0].Advice, "read the lines before in the log of the kernel")
	d.Host.Virtualization = guestOf("kvm")
	require.NotContains(t, said(d), "held the machine up", "its host did")
	d, err = attachment.Read("x", strings.NewReader(
		"clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because the skew is too large:\n"+
			"clocksource: 'hpet' wd_nsec: 495327040 wd_now: 1212d50e wd_last: f1f05ee mask: ffffffff\n"+
			"clocksource: 'tsc' cs_nsec: 492961151 cs_now: 2a5e6e8a8 cs_last: 24f61a7a1 mask: ffffffffffffffff\n"))
	require.NoError(t, err)
	requireText(t, said(d), nil, []string{"held the machine up"}, "a check on time")
}

// A step during the run and a wall clock that is off give no advice against each other: to step, and never to step.
func TestNoAdviceAgainstSteps(t *testing.T) {
	d := well()
	d.Conditions.WallStepNS = -2e9
	requireKind(t, d, "stepped", result.Warn, []string{"CLOCK_MONOTONIC", "a time service logs its steps"},
		[]string{"makestep only at its start", "to slew"}, "a step")
}

// The answer begins with what asks for something, and with its remedy. Then it says that no other fault is known.
func TestWhatALogHasComesFirst(t *testing.T) {
	const stall = "[   89.892668] rcu: INFO: rcu_sched self-detected stall on CPU\n"
	for log, says := range map[string][]string{
		"System clock synchronized: no\nNTP service: inactive\nRTC in local TZ: no\n": {
			"alone: The wall clock is not synchronised", "start the one that is installed", "Beyond that, no fault is known"},
		stall: {"read the function or the driver that the trace in the log names"},
		"[    0.1] Hypervisor detected: KVM\n" + stall:              {"steal in vmstat 1"},
		"[Firmware Bug]: TSC ADJUST: CPU0: -123456789 force to 0\n": {"alone: no fault is known", "Do not set tsc=reliable here"},
	} {
		d, err := attachment.Read("x", strings.NewReader(log))
		require.NoError(t, err)
		require.Empty(t, Findings(d), log)
		requireText(t, Healthy(d), says, []string{"firmware (BIOS)"}, log)
	}
	d, err := attachment.Read("x", strings.NewReader("[    0.1] tsc: Detected 2400.000 MHz processor\n"+
		"[    0.3] clocksource: Switched to clocksource tsc\n"))
	require.NoError(t, err)
	requireText(t, Healthy(d), []string{"alone: it shows no fault"}, []string{"Beyond that", "Find out"}, "a usual log")
}

// The command line and the flags of the CPU are unknown if the log lacks them. No reason follows from that.
func TestNothingFollowsFromWhatIsMissing(t *testing.T) {
	const listing = "$ cat /sys/devices/system/clocksource/clocksource0/available_clocksource\ntsc hpet acpi_pm\n" +
		"$ cat /sys/devices/system/clocksource/clocksource0/current_clocksource\nacpi_pm\n"
	d, err := attachment.Read("x", strings.NewReader(listing))
	require.NoError(t, err)
	requireText(t, said(d), []string{"which is not here, or a person", "cat /proc/cmdline"},
		[]string{"was measured", "does not explain", "Therefore somebody", "invariant"}, "a listing")
	d.Host.BootParameters = []string{"clocksource=acpi_pm"}
	requireText(t, said(d), []string{"clocksource=acpi_pm"}, []string{"is not here", "cat /proc/cmdline"}, "with the command line")
	d, err = attachment.Read("x", strings.NewReader("[Wed Dec 22 19:27:42 2021] clocksource: Switched to clocksource acpi_pm\n"))
	require.NoError(t, err)
	requireText(t, said(d), []string{"Why the TSC is not used is not in these lines"}, []string{"does not explain"}, "one line")
}

// A wrong rate that no time service can correct is not measured against the clock that it fails to correct.
func TestARateBeyondCorrection(t *testing.T) {
	d, err := attachment.Read("x", strings.NewReader("19 Jul 02:47:02 ntpd[1]: frequency error -8960 PPM exceeds tolerance 500 PPM\n"))
	require.NoError(t, err)
	advice := Findings(d)[0].Remedies
	require.Contains(t, advice[0].Advice, "Reboot once")
	require.Contains(t, advice[0].Advice, "delete its drift file")
	require.NotContains(t, said(d), "measure the rate of the TSC against the wall clock")
}

// A line that held a CPU up just before a check is mended first; without it, the clocks are compared.
func TestWhatHeldTheCPUUpIsMendedFirst(t *testing.T) {
	const held = "[  100.1] hrtimer: interrupt took 287743313 ns\n"
	const check = "[  100.5] clocksource: timekeeping watchdog on CPU3: Marking clocksource 'tsc' as unstable because the skew is too large:\n" +
		"[  100.5] clocksource:                       'hpet' wd_now: 628dd7b wd_last: 5fef431 mask: ffffffff\n" +
		"[  100.5] clocksource:                       'tsc' cs_now: 254aa24747 cs_last: 25104a5bfd mask: ffffffffffffffff\n"
	for log, first := range map[string]string{
		held + check: "Mend first what may have held the CPU up: read what the log has just before",
		check:        "On a laptop with Intel's Coffee Lake", // a guess of the cause
	} {
		d, err := attachment.Read("x", strings.NewReader(log))
		require.NoError(t, err)
		require.Contains(t, Findings(d)[0].Remedies[0].Advice, first, log)
	}
}

// An answer with a finding also names the lines that timebench does not judge, without those of a usual boot.
func TestUnjudgedLinesBesideAFinding(t *testing.T) {
	const warp = "[    0.0] Fast TSC calibration failed\n[    0.4] Measured 3926369736 cycles TSC warp between CPUs, turning off TSC clock.\n" +
		"[    9.1] clocksource:         CPU 5 check durations 14197ns - 124761ns for clocksource tsc.\n"
	const unknown = "[  102.0] timekeeping: something new happened to clock tsc"
	for log, shown := range map[string]int{warp: 0, warp + unknown + "\n": 1} {
		d, err := attachment.Read("x", strings.NewReader(log))
		require.NoError(t, err)
		d.Findings = Findings(d)
		require.NotEmpty(t, d.Findings)
		unchecked := Unchecked(d)
		require.Len(t, unchecked, shown, log)
		for _, n := range unchecked {
			require.Contains(t, n.Why, "\""+unknown+"\"")
		}
	}
}

// The firmware of an old machine is not renewed any more.
func TestAnOldMachineKeepsItsClockSource(t *testing.T) {
	const warp = "[    0.4] Measured 3926369736 cycles TSC warp between CPUs, turning off TSC clock.\n"
	for release, first := range map[string]string{"2.6.22-14-generic": "Leave the clock source as it is", "6.1.0": "Measure how far"} {
		d, err := attachment.Read("x", strings.NewReader("[    0.0] Linux version "+release+" (a@b) #1\n"+warp))
		require.NoError(t, err)
		require.Contains(t, Findings(d)[0].Remedies[0].Advice, first, release)
		require.Equal(t, release == "6.1.0", strings.Contains(said(d), "update the firmware"), release)
	}
}
