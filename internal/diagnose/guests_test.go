package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
	alpine := func(h *result.Host) { h.DistributionID, h.ServiceManager = "alpine", "openrc" }
	withoutManager := func(h *result.Host) { h.ServiceManager = "" }
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
		{"timer-of-all-cpus", "kvm", nothing, facts(source("tsc", "kvm-clock", "acpi_pm"))},
		{"timer-of-all-cpus", "virtualbox", nothing, facts(source("acpi_pm"))},
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
		{"vbox-without-kvm-clock", "virtualbox", []string{"no-kvmclock"}, facts(source("kvm-clock"))},
		{"vbox-set-start", "virtualbox", []string{"--timesync-set-start"}, nil},
		{"rate-of-the-hypervisor", "hyperv", []string{"tsc_early_khz=KHZ"}, nil},
		{"rate-of-the-hypervisor", "", nothing, nil},
		{"start-again", "kvm", []string{"measures the TSC rate"}, nil},
		{"start-again", "kvm", []string{"In a cloud, this erases local disks"}, facts(made("Vultr", "VHF"))},
		{"reach-servers", "kvm", nothing, nil},
		{"reach-servers", "kvm", []string{"UDP port 123", "timedatectl timesync-status"}, facts(runs("systemd-timesyncd"))},
		{"start-service", "kvm", nothing, facts(runs("chronyd"))},
		{"start-service", "kvm", []string{"start the installed one"}, facts(runs("VBoxService"))},
		{"show-kvm", "qemu", []string{"let it show KVM"}, facts(cpu("12th Gen Intel(R) Core(TM) i7-12700H"))},
		{"show-kvm", "kvm", nothing, facts(cpu("12th Gen Intel(R) Core(TM) i7-12700H"))},
		{"show-kvm", "qemu", nothing, facts(cpu("QEMU Virtual CPU version 2.5+"))},
		{"show-kvm", "qemu", nothing, facts(cpu("Intel(R) Core(TM)2 Duo CPU     T7700  @ 2.40GHz"))},
		{"accel-kvm", "qemu", nothing, facts(cpu("12th Gen Intel(R) Core(TM) i7-12700H"))},
		{"accel-kvm", "qemu", []string{"Use KVM"}, facts(cpu("Intel Xeon Processor (Skylake)"))},
		{"update-firmware", "", []string{"of the host of this container"}, facts(container)},
		{"cold-boot", "", []string{"the host of this container"}, facts(container)},
		{"look-again", "kvm", []string{"Restart the virtual machine"}, nil},
		{"look-again", "kvm", nothing, facts(source("kvm-clock"))}, // which user mode reads
		// WSL and a container have no kernel of their own that their user could update or boot.
		{"look-again", "hyperv", []string{"wsl --shutdown", "All Linux programs under WSL end"}, facts(wsl)},
		{"newer-kernel-late-check", "hyperv", []string{"`wsl --update` in Windows"}, facts(wsl)},
		{"newer-kernel-late-check", "kvm", []string{"On the host of this container: Use Linux 6.8"}, facts(kernel("5.15.0"), container)},
		{"newer-kernel-late-check", "", nothing, facts(kernel("5.15.49-linuxkit"), container)},
		{"tsc-nowatchdog", "", nothing, facts(kernel("5.15.49-linuxkit"), container)},
		{"look-again", "kvm", []string{"Restart Docker Desktop"}, facts(kernel("5.15.49-linuxkit"))},
		{"look-again", "kvm", []string{"Restart the virtual machine"}, facts(kernel("5.15.49-linuxkit"), made("Google", "Google Compute Engine"))},
		{"look-again", "", []string{"Reboot, and check"}, facts(kernel("5.15.49-linuxkit"), made("Supermicro", "SYS-5018D-FN8T/X10SDV-TP8F"))},
		{"kvm-clock-in-guest", "kvm", []string{"CONFIG_KVM_GUEST"}, nil},
		{"guest-halt-poll", "kvm", []string{"modprobe cpuidle-haltpoll force=1"}, nil},
		{"load-ptp-kvm", "kvm", []string{"/dev/ptp_kvm"}, nil},
		{"less-overcommit", "kvm", []string{"fewer virtual CPUs"}, facts(made("QEMU", "Standard PC (Q35 + ICH9, 2009)"))},
		{"less-overcommit", "kvm", []string{"ask the provider"}, facts(made("Hetzner", "vServer"))},
		{"host-on-tsc", "kvm", []string{"Check on the host"}, nil},
		{"host-on-tsc", "kvm", nothing, facts(made("Google", "Google Compute Engine"))},
		{"untrap", "xen", []string{"Configure the hypervisor"}, nil},
		{"untrap", "xen", []string{"another type of machine"}, facts(made("Amazon EC2", "m4.large"))},
		{"cloud-time", "kvm", []string{"ntp.cloud.aliyuncs.com"}, facts(made("Alibaba Cloud", "Alibaba Cloud ECS"))},
		{"leave-it", "", []string{"the kernel is right"}, facts(source("hpet"))},
		{"read-journal", "", []string{"sudo journalctl -k -b"}, nil},
		{"read-journal", "", []string{"sudo grep -iE 'tsc|clocksource' /var/log/dmesg"}, facts(alpine)},
		{"find-setters", "", []string{"pgrep -l"}, facts(alpine)},
		{"start-service", "", []string{"pgrep -l"}, facts(withoutManager)},
		{"read-journal", "", []string{"On the host of this container", "sudo journalctl -k -b"}, facts(withoutManager, container)},
		{"leave-it", "", nothing, facts(source("jiffies"))},
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

// A guest of KVM whose log ends on hpet does not use kvm-clock.
func TestGuestThatLeftKVMClock(t *testing.T) {
	const onKVM = "clocksource: Switched to clocksource kvm-clock"
	for source, kept := range map[string]bool{"kvm-clock": true, "hpet": false, "acpi_pm": false} {
		d := &result.Document{Host: result.Host{OS: "linux", Virtualization: guestOf("kvm"), ClockSource: &result.ClockSource{Current: source},
			KernelLog: &result.KernelLog{Lines: []string{"[    1.2] " + onKVM}}}}
		require.Equal(t, kept, len(remedy.For(situation.Of(d), "keep-kvm-clock")) > 0, source)
		require.Equal(t, !kept, len(remedy.For(situation.Of(d), "look-again")) > 0, source)
	}
}

// The step of a Windows machine, and of WSL, is no reason to change the real-time clock by a tool of Linux.
func TestStepOfWindows(t *testing.T) {
	for line, says := range map[string]bool{
		"ntpdate[812]: step time server 192.0.2.1 offset 3600.000000 sec": true,
		"The time service has set the time with offset 3600 seconds.":     false,
		"The time service has set the time with offset 31536000 seconds.": false,
	} {
		d := &result.Document{Host: result.Host{OS: "linux", KernelLog: &result.KernelLog{Lines: []string{line}}}}
		found := remedy.For(situation.Of(d), "rtc-in-utc", "start-after-sync", "write-rtc-after-step")
		require.Equal(t, says, len(found) > 0, line)
		d.Host.WSL = 2
		require.Empty(t, remedy.For(situation.Of(d), "rtc-in-utc", "start-after-sync", "write-rtc-after-step"), line)
	}
}

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
