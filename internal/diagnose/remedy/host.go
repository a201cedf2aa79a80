package remedy

// hostRemedies are the settings that a hypervisor can change for its guests.
var hostRemedies = map[string]remedy{
	"host-on-tsc": {where: func(s *machine) bool { return s.IsGuest() && onOwnHost(s) }, source: "arch/x86/kvm/x86.c: PVCLOCK_TSC_STABLE_BIT is set only while the clock source of the host is tsc or the Hyper-V page, and the TSC offsets of the vCPUs match (kvm_track_tsc_matching)",
		advice:   "Check on the host that its clock source is tsc. Only then can guests read the clock of KVM in user mode. (A host that is itself a guest of Hyper-V may use hyperv_clocksource_tsc_page, since Linux 4.16)",
		commands: []string{"# on the host:", "cat /sys/devices/system/clocksource/clocksource0/current_clocksource"}},
	"match-vcpus": {where: func(s *machine) bool { return s.GuestUnder("kvm", "firecracker") }, source: "arch/x86/kvm/x86.c: kvm_track_tsc_matching; cloud-hypervisor/cloud-hypervisor#8383",
		advice: "If the machine was restored or migrated, shut it down and start it again: the TSC offsets of its CPUs must match, and some hypervisors restore each CPU with its own"},
	"invtsc": {where: func(s *machine) bool {
		return s.GuestUnder("kvm") && onOwnHost(s) && s.Host.CPU.InvariantTSC != nil && !s.Invariant()
	}, source: "qemu target/i386/kvm/kvm.c, d99569d9: \"State blocked by non-migratable CPU device (invtsc flag)\", unless tsc-frequency is set; libvirt.org/formatdomain.html#cpu-model-and-topology",
		advice: "Make the hypervisor set the invariant TSC bit: QEMU -cpu host,migratable=off or +invtsc, libvirt <feature policy='require' name='invtsc'/>",
		risk:   invtscRisk},
	"kvm-clock-in-guest": {where: func(s *machine) bool {
		return s.GuestUnder("kvm", "qemu") && s.OnX86() && onOwnHost(s) && s.HypervisorClock() == "" && !s.CheckedBy("kvm-clock") && s.Unset("no_kvmclock", "nopv")
	}, source: "arch/x86/kernel/kvmclock.c; libvirt.org/formatdomain.html#time-keeping: kvmclock; qemu -cpu …,kvmclock=on (the default)",
		advice: "Give the guest the clock of KVM, which the watchdog does not check: libvirt <timer name='kvmclock' present='yes'/> in <clock>; QEMU: do not switch off kvmclock in -cpu",
		risk:   "None known: it is the default."},
	"hv-time": {where: func(s *machine) bool { return s.GuestUnder("kvm", "qemu") && onOwnHost(s) }, source: "www.qemu.org/docs/master/system/i386/hyperv.html: QEMU gives a guest no enlightenment unless asked; libvirt.org/formatdomain.html#time-keeping",
		advice: "On the host, give the guest Hyper-V's reference time (hv-time), so that Windows reads the CPU counter in user mode. QEMU: add hv-time to the -cpu option. libvirt: <timer name='hypervclock' present='yes'/> in <clock>. Proxmox: set the OS type of the machine to Windows. Then shut the guest down and start it again",
		risk:   "None known: QEMU recommends it for Windows guests."},
	"less-overcommit": {where: func(s *machine) bool { return s.IsGuest() || s.Shows("hpet-of-qemu") }, source: "kernel/time/clocksource.c: clocksource_watchdog runs from a timer, which is late while the host does not run the guest; LKML CA+G9fYuJJySMY_6oLx_R_ebX9wDkwTLbDW7f7_CqF9UgFhSajg",
		advice: "Make the host run this machine without long pauses: fewer virtual CPUs for each CPU of the host, and no suspend of the host"},
	"stop-before-sleep": {where: func(s *machine) bool { return (s.IsGuest() || s.LogOnly()) }, source: "KVM list fe13fe734a01bb54f47fea06624c617beb062fdd.camel@redhat.com: the host slept, and KVM did not add the time to the guest's TSC; machyve/xhyve#36",
		advice: "Shut down or save virtual machines before their host sleeps"},
	"restart-vm": {where: (*machine).IsGuest, source: "kernel/time/clocksource.c: the mark lasts until the next boot; machyve/xhyve#36",
		advice: "Restart the virtual machine, if the cost of the clock source in use is too high"},
	"xen-native": {where: (*machine).OnXen, source: "xen docs/man/xen-tscmode.7; arch/x86/xen/time.c: xen_tsc_safe_clocksource (Linux 6.3) takes the TSC only if Xen says that it is never emulated; xen docs/misc/xen-command-line: clocksource",
		advice: "On a Xen host of your own, boot the host with clocksource=tsc, so that user mode of the guest can read the clock of Xen; or give the guest tsc_mode=\"native\", with which Linux 6.3 and later select tsc",
		risk:   "With tsc_mode=\"native\" the guest must not migrate to a host with another TSC rate."},
	"ec2-nitro": {where: (*machine).OnXen, source: "repost.aws/knowledge-center/manage-ec2-linux-clock-source: Xen instances use xen, Nitro instances kvm-clock or tsc",
		advice: "On Amazon EC2, move to an instance type of the Nitro system, where user mode can read the clock. Otherwise prefer a fully virtualised (HVM) guest to a paravirtual one"},
	"hyperv-version": {where: func(s *machine) bool { return s.GuestUnder("hyperv") && !s.InWSL() }, source: "learn.microsoft.com: configuration versions of virtual machines; drivers/clocksource/hyperv_timer.c: InvariantTSC since Linux 5.5 (dce7cd62), the TSC preferred since 5.6",
		advice: "Use a newer configuration version of the virtual machine, or a newer host: user mode can read hyperv_clocksource_tsc_page and tsc, but not hyperv_clocksource_msr"},
	"vbox-paravirt": {where: func(s *machine) bool { return s.GuestUnder("virtualbox") && s.HypervisorClock() == "" }, source: "VirtualBox manual, VBoxManage modifyvm: --paravirt-provider (7.0), --paravirtprovider before",
		advice:   "Enable the KVM paravirtualisation interface, so that Linux has kvm-clock. Switch the machine off first, and run this on the host",
		commands: []string{"# VirtualBox 7:", "VBoxManage modifyvm NAME --paravirt-provider kvm", "# VirtualBox 6 and before:", "VBoxManage modifyvm NAME --paravirtprovider kvm"},
		risk:     "On a host with Hyper-V, guests with this setting have been seen to hang. The setting legacy undoes it."},
	"accel-kvm": {where: func(s *machine) bool { return s.GuestUnder("qemu", "tcg") }, source: "www.qemu.org/docs/master/system/introduction.html: accelerators",
		advice: "Use KVM (-accel kvm): everything is slow on an emulated machine"},
	"qemu-reliable": {where: func(s *machine) bool {
		return s.GuestUnder("qemu", "tcg") && s.OnX86() && s.NothingFailed() && s.Unset("notsc", "tsc=unstable", "tsc=nowatchdog")
	}, source: "qemu system/cpu-timers.c: one emulated TSC for all CPUs; arch/x86/kernel/tsc.c",
		adds:   "tsc=reliable",
		advice: "Without KVM, boot the guest with tsc=reliable, so that it uses the emulated TSC",
		risk:   "Nothing checks the TSC then. With several emulated CPUs it may jump."},
	"untrap": {where: func(s *machine) bool { return !s.GuestUnder("vmware") }, source: "xen docs/man/xen-tscmode.7; arch/x86/kvm: TSC scaling; VMware, Timekeeping in Virtual Machines: virtual TSC",
		advice: "Configure the hypervisor not to intercept RDTSC (the cause names the setting, if there is one), or move to a host whose CPU supports TSC scaling",
		risk:   "The TSC rate then changes when the machine migrates to a host with another TSC rate."},
	"vmware-scaling": {where: func(s *machine) bool { return s.GuestUnder("vmware") }, source: "VMware, Timekeeping in Virtual Machines, Virtual TSC: FALSE shows the TSC of the host",
		advice: "Shut the machine down and start it again on the host where it is to run, or move it to hosts whose CPUs have the same TSC rate or TSC scaling. Leave monitor_control.virtual_rdtsc at TRUE, its default",
		risk:   "FALSE switches off the virtualisation of the TSC: the guest sees the TSC of the host, which changes with a migration."},
	"vmware-host": {where: func(s *machine) bool { return s.GuestUnder("vmware") }, source: "VMware, Timekeeping in Virtual Machines; knowledge.broadcom.com article 310053: snapshots, vMotion and CPU contention stop a guest",
		advice: "On the host, check whether a snapshot, a vMotion or contention for CPUs (ready time) stopped the machine at that time"},
	"bhyve-host": {where: func(s *machine) bool { return s.GuestUnder("bhyve", "xhyve", "hyperkit") }, source: "oxidecomputer/propolis#328: the host ran the guest late",
		advice: "On the host, check that it runs the guest's CPUs without long pauses, and use a newer version of the hypervisor"},
	"start-again": {where: func(s *machine) bool { return s.IsGuest() && !s.InWSL() }, source: "twekkel/htpdate#41, erigones/esdc-factory#114: a guest keeps the TSC rate of the host where it booted",
		advice: "Shut the machine down and start it again: it measures the TSC rate of the host where it boots, or gets it from the hypervisor. If it must migrate, use hosts with the same TSC rate or with TSC scaling"},
	"newer-runsc": {where: (*machine).InGVisor, source: "google/gvisor#7975 (2022-09: the coarse clocks and CLOCK_MONOTONIC_RAW in the vDSO), #8118 (time went back on AMD)",
		advice: "Use a newer version of gVisor (runsc) on the host: its vDSO reads more clocks in user mode since September 2022. A clock that goes back is a fault of that vDSO; until it is mended, read the clock by a system call"},
}

const invtscRisk = "QEMU then refuses to migrate, save or snapshot the guest, unless its TSC rate is set (tsc-frequency=HZ; libvirt: <timer name='tsc' frequency='HZ'/>). With it, the guest can be migrated only to hosts with the same TSC rate or with TSC scaling."
