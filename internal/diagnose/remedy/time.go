package remedy

import (
	"fmt"
	"slices"
	"strings"
)

// timeRemedies are for the wall clock.
var timeRemedies = map[string]remedy{
	"set-from-rtc": {where: func(s *machine) bool { return s.OnLinux() && !s.InContainer() && !s.InGVisor() && s.RTCIsRight() }, source: "hwclock(8): --hctosys; systemd-timesyncd, chrony and ntpd step the clock at most at their start",
		advice:   "Set the wall clock now, from the real-time clock",
		commands: []string{"sudo hwclock -s"},
		risk:     "The wall clock jumps. Some programs cannot handle that."},
	"host-sets-clock": {where: (*machine).InContainer, source: "time_namespaces(7): there is no namespace for CLOCK_REALTIME; a container has the clock of its host",
		advice: "Set the clock on the host, and start a time service there: a container uses the clock of the host"},
	"set-after-pause": {where: func(s *machine) bool { return (s.IsGuest() || s.LogOnly()) && !s.InContainer() }, kernel: true, source: "KVM list fe13fe734a01bb54f47fea06624c617beb062fdd.camel@redhat.com; chronyc(1): makestep; hwclock(8)",
		advice:   "After such a pause, check the wall clock, and set it if it is behind",
		commands: []string{"# if chrony runs:", "sudo chronyc makestep", "# if not, and the real-time clock is right:", "sudo hwclock -s"},
		risk:     "The wall clock jumps. Some programs cannot handle that."},
	"step-at-start": {where: func(s *machine) bool {
		return s.OnLinux() && !s.InContainer() && slices.Contains(s.ServiceNames(), "chronyd")
	}, source: "chrony.conf(5): makestep, chronyc(1): makestep",
		advice:   "Let chrony step the clock now",
		commands: []string{"sudo chronyc makestep"},
		risk:     "The wall clock jumps. Some programs cannot handle that."},
	"step-whenever": {where: func(s *machine) bool {
		return s.OnLinux() && !s.InContainer() && s.HostClock() == nil && slices.Contains(s.ServiceNames(), "chronyd")
	}, source: "chrony.conf(5): makestep; without a limit of -1 chrony steps the clock at its start only",
		advice: "Let chrony step the clock after every restore, not only at its start: add `makestep 1 -1` to its configuration (/etc/chrony.conf or /etc/chrony/chrony.conf)",
		risk:   "The wall clock jumps. Some programs cannot handle that."},
	"chrony-ptp": {where: func(s *machine) bool { return !s.InContainer() && !s.InWSL() && s.HostClock() != nil }, source: "drivers/ptp/ptp_kvm_common.c, drivers/hv/hv_util.c (PTP source since Linux 4.11, 3716a49a), drivers/ptp/ptp_vmw.c (7d10001e); chrony.conf(5): refclock PHC; docs.redhat.com: chrony with ptp_kvm",
		advise: func(s *machine) string {
			return fmt.Sprintf("With chrony, follow the clock of the host, which is right after a pause too: add `refclock PHC /dev/%s poll 2` to its configuration (/etc/chrony.conf or /etc/chrony/chrony.conf), and `makestep 1 -1` if the clock may jump whenever the machine was paused", s.HostClock().Against)
		},
		risk: "Remove the host's other ways to set the clock (VMware Tools, Hyper-V's time synchronisation): two of them correct each other."},
	"load-ptp-kvm": {where: func(s *machine) bool {
		return !s.InContainer() && !s.Host.NoModules && s.GuestUnder("kvm") && s.HostClock() == nil
	}, source: "drivers/ptp/Kconfig: PTP_1588_CLOCK_KVM; docs.redhat.com: chrony with ptp_kvm; chrony.conf(5): refclock PHC",
		advice:   "In a guest of KVM, chrony can follow the clock of the host: load the module, and add `refclock PHC /dev/ptp0 poll 2` to its configuration",
		commands: []string{"sudo modprobe ptp_kvm && ls -l /dev/ptp*", "echo ptp_kvm | sudo tee /etc/modules-load.d/ptp_kvm.conf"}},
	"ptp-hyperv": {where: func(s *machine) bool {
		return s.GuestUnder("hyperv") && !s.InWSL() && !s.InContainer() && s.HostClock() == nil
	}, source: "drivers/hv/hv_util.c: the PTP clock hyperv (Linux 4.11, 3716a49a); systemd's udev rules name it /dev/ptp_hyperv; learn.microsoft.com/azure/virtual-machines/linux/time-sync",
		advice: "In a guest of Hyper-V, chrony can follow the clock of the host: add `refclock PHC /dev/ptp_hyperv poll 3 dpoll -2 offset 0` to its configuration. Old systems lack the name; a udev rule makes it: SUBSYSTEM==\"ptp\", ATTR{clock_name}==\"hyperv\", SYMLINK+=\"ptp_hyperv\""},
	"wsl": {where: (*machine).InWSL, source: "microsoft/WSL#5324, #8204, #10006, #4179 (wsl --shutdown sets it right); systemd-timesyncd.service has ConditionVirtualization=!container, which WSL counts as",
		advice: "Update WSL, then restart it: in Windows run `wsl --update`, then `wsl --shutdown`",
		risk:   "All Linux programs under WSL end."},
	"firecracker-clock": {where: func(s *machine) bool { return s.GuestUnder("firecracker") && s.ClockSource == "tsc" }, source: "firecracker docs/snapshotting/snapshot-support.md: clock_realtime advances kvm-clock; ilbertt/nibrun#410, deeplethe/forkd#289: a guest on tsc stayed 64 s behind, on kvm-clock 1 s",
		adds:   "clocksource=kvm-clock",
		advice: "If the machine is restored from snapshots, let it use kvm-clock (clocksource=kvm-clock), and restore with clock_realtime, which advances it",
		risk:   "A read of kvm-clock takes a little longer than one of the TSC."},
	"start-service": {where: func(s *machine) bool { return s.OnLinux() && !s.InContainer() && !s.InWSL() }, source: "systemd: timedatectl(1); chrony.tuxfamily.org; wiki.alpinelinux.org: chrony, openntpd by OpenRC",
		advice:  "Check whether a time service runs, and start the one that is installed",
		command: serviceCommands,
		risk:    "If the clock is far off, the service may step it when it starts. Some programs cannot handle that."},
	"chrony-rtcsync": {source: "chrony.conf(5): rtcsync; kernel/time/ntp.c: STA_UNSYNC",
		advice:   "With chrony, add rtcsync to its configuration (/etc/chrony.conf or /etc/chrony/chrony.conf)",
		commands: []string{"chronyc tracking"}},
	"cloud-time": {where: func(s *machine) bool { return CloudOf(s) != nil }, source: "docs.aws.amazon.com set-time; cloud.google.com configure-ntp; learn.microsoft.com time-sync",
		advise: func(s *machine) string { return CloudOf(s).advice }},
	"reset-rate": {where: func(s *machine) bool { return s.OnLinux() && !s.InContainer() }, source: "adjtimex(8)",
		advice:   "Start a time service, or reset the rate (adjtimex is in the package of the same name; BusyBox has it with other options)",
		commands: []string{"adjtimex --print", "sudo adjtimex --tick 10000 --frequency 0"},
		risk:     "The rate may be right: it may correct a clock source that runs at a wrong rate. Check before and after whether the clock is off."},
	"slew": {source: "chrony.conf(5): makestep; clock_gettime(2): CLOCK_MONOTONIC",
		advise: func(s *machine) string {
			if s.OnLinux() {
				return "Measure intervals with CLOCK_MONOTONIC, which is never stepped. Configure the time service to slew (chrony: makestep only at its start)"
			}
			return "Measure intervals with a monotonic clock, which is never stepped. Configure the time service to slew"
		}},
	"one-service-vmware": {where: func(s *machine) bool { return s.GuestUnder("vmware") && !s.InContainer() }, source: "VMware Tools: vmware-toolbox-cmd(1) timesync; VMware knowledge base 1189 (kb.vmware.com/s/article/1189): the settings time.synchronize.* of the machine",
		advice:   "Keep one: with chrony or ntpd, switch off the periodic synchronisation of VMware Tools. It still steps the clock after a resume or migration, unless time.synchronize.* = 0 is set for the machine",
		commands: []string{"vmware-toolbox-cmd timesync status", "sudo vmware-toolbox-cmd timesync disable"}},
	"one-service-hyperv": {where: func(s *machine) bool { return s.GuestUnder("hyperv") && !s.InWSL() && !s.InContainer() }, source: "drivers/hv/hv_util.c: before Linux 4.11 (3716a49a) each sample of the host sets the clock; later with timesync_implicit only; cockroachdb/cockroach#13808; learn.microsoft.com time-sync",
		advice:   "Keep one: with chrony or ntpd, switch off Hyper-V's time synchronisation (hv_utils) for the machine, or use Linux 4.11 or later and follow the host by /dev/ptp_hyperv",
		commands: []string{"# the device of class 9527e630-…:", "ls /sys/bus/vmbus/drivers/hv_utils", "# N: it only steps after a pause", "cat /sys/module/hv_utils/parameters/timesync_implicit"},
		risk:     "On Hyper-V of your own, the setting is Integration Services, Time synchronization. Without it nothing sets the clock after a pause, until the time service does."},
	"one-service-vbox": {where: func(s *machine) bool { return s.GuestUnder("virtualbox") && !s.InContainer() }, source: "VirtualBox manual, Tuning the Guest Additions time synchronization parameters",
		advice: "Keep one: with chrony or ntpd, start VBoxService with --disable-timesync"},
	"one-service": {where: func(s *machine) bool { return s.OnLinux() && !s.InContainer() }, source: "systemd-timesyncd.service(8): Conflicts with other time services; chrony FAQ",
		advise: func(s *machine) string {
			return "Keep one time service, and disable the others: " + strings.Join(s.ServiceNames(), ", ")
		}},
	"find-setters": {where: func(s *machine) bool { return s.OnLinux() && !s.InContainer() && !s.InWSL() }, source: "systemd-timesyncd.service(8), chrony FAQ: two programs that set the clock step it against each other",
		advice:   "Check that a single program sets the clock: systemd-timesyncd, chronyd, ntpd, or the tools of the hypervisor",
		commands: []string{"systemctl status systemd-timesyncd chronyd chrony ntpd ntpsec open-vm-tools"}},
	"restart-host": {where: func(s *machine) bool { return s.GuestUnder("hyperv") }, source: "public notes of a robot project (WSL 2, 2026-10): after Windows slept, the reference clock of Hyper-V ran 1.6 % fast until Windows was restarted",
		advice: "If it began after the host slept, restart the host (Windows): the reference clock that Hyper-V gives to its guests has run at a wrong rate since"},
	"other-time-servers": {source: "IERS Bulletin C: all leap seconds; chrony.conf(5): leapsectz; ntp.conf(5): leapfile",
		advice: "Use other time servers, at least four, so that a single one cannot announce a leap second. Or take leap seconds from a list: leapsectz of chrony, leapfile of ntpd"},
	"right-rate": {where: func(s *machine) bool { return !s.OnX86() || s.LogOnly() && s.Host.Arch == "" }, source: "openwrt/openwrt#17944: a device tree with 40 MHz where the board has 25 MHz; LKML CAMhs-H8rt3-ffvjkNSORiNXQUVCUHCc7FNwYN7TOyQ0DxCe2fA@mail.gmail.com: a clock driver with six times the rate",
		advice: "Use a kernel or firmware with the right rate of the reference clock (its driver, or the device tree of the board). No time service can correct such a rate",
		risk:   upgradeRisk},
	"write-rtc": {where: func(s *machine) bool { return s.OnLinux() && !s.IsGuest() && !s.InContainer() && !s.InWSL() }, source: "hwclock(8): --systohc; kernel/time/ntp.c: the kernel sets the RTC every 11 minutes while it is synchronised",
		advice:   "Set the real-time clock, so that the next boot starts with the right time. If it is off again after a boot, replace its battery",
		commands: []string{"sudo hwclock --systohc"}},
}

const startChrony = "sudo systemctl enable --now chrony"

func serviceCommands(s *machine) []string {
	chrony := []string{"# Debian, Ubuntu:", startChrony, "# Fedora, RHEL, Amazon:", startChrony + "d"}
	switch id := distribution(s); {
	case id == "debian" || id == "ubuntu" || slices.Contains(s.Host.DistributionLike, "debian"):
		chrony = []string{startChrony}
	case id != "":
		chrony = []string{startChrony + "d"}
	}
	switch manager := s.Host.ServiceManager; {
	case manager == "openrc" || distribution(s) == "alpine":
		return []string{"rc-status", asRoot, "rc-update add chronyd && rc-service chronyd start"}
	case manager == "systemd", manager == "":
		return slices.Concat([]string{"timedatectl"}, chrony, []string{"# where there is no chrony:", "sudo systemctl enable --now systemd-timesyncd"})
	default:
		return []string{"pgrep -l 'chronyd|ntpd|timesyn'"}
	}
}
