package diagnose

import "github.com/timebench/timebench/internal/result"

// What applies to all domains of Xen.
const (
	xenTSCMode = "https://xenbits.xen.org/docs/unstable/man/xen-tscmode.7.html"
	xenTrap    = "Xen intercepts RDTSC in tsc_mode always_emulate. In the default mode it does so if the TSC of the host is not safe, or if the guest came from a host with another TSC rate."
)

// kvmTrap: KVM never intercepts RDTSC (arch/x86/kvm/vmx, svm).
const kvmTrap = "KVM itself does not intercept RDTSC. A hypervisor below KVM may (nested virtualisation), or the machine is emulated."

var kvmHost = result.Remedy{
	Advice:   "Check on the host that its clock source is tsc. Only then can guests read the clock of KVM in user mode",
	Commands: []string{"cat /sys/devices/system/clocksource/clocksource0/current_clocksource # on the host"},
}

// hvTime gives a Windows guest the hypervisor page. QEMU enables it only on request.
var hvTime = result.Remedy{
	Advice: "On the host, give the guest Hyper-V's reference time (hv-time), so that Windows reads the CPU counter in user mode. QEMU: add hv-time to the -cpu option. libvirt: <timer name='hypervclock' present='yes'/> in <clock>. Then shut the guest down and start it again",
	Risk:   "None known: QEMU recommends it for Windows guests.",
}

var xenKernel = []result.Remedy{{
	Advice: "Use Linux 6.3 or later. On Xen it selects tsc by itself if the TSC is invariant and not emulated",
	Risk:   "That of any kernel upgrade.",
}}

// A hypervisor is what is known about the clocks of its guests.
type hypervisor struct {
	// is reports whether a machine runs on it.
	is func(result.Host) bool
	// invariant is a sentence: how it gives guests an invariant TSC.
	invariant string
	// trap is a sentence: when it intercepts RDTSC.
	trap string
	// risk is the risk of a switch to tsc in a guest.
	risk     string
	remedies []result.Remedy
	links    []string
	// windows are the remedies for a Windows guest whose QueryPerformanceCounter enters the kernel,
	// and windowsCause is a sentence on the usual cause.
	windows      []result.Remedy
	windowsCause string
	windowsLinks []string
}

// guestOf matches the guests of a hypervisor. Its host reads the clocks of its own CPUs.
func guestOf(name string) func(result.Host) bool { return role(name, "guest") }

func role(name, role string) func(result.Host) bool {
	return func(h result.Host) bool {
		return h.Virtualization != nil && h.Virtualization.System == name && h.Virtualization.Role == role
	}
}

// hypervisors are the known ones; the first that matches counts, so special ones come first.
// A new one is one entry.
var hypervisors = []hypervisor{
	{
		is:        role("xen", "host"), // dom0, which Xen runs like the other domains
		invariant: "Xen gives its first domain (dom0) the invariant TSC if the machine has one.",
		trap:      xenTrap,
		risk:      "Xen's clock corrects differences between the TSCs of the CPUs. The TSC itself does not.",
		remedies:  xenKernel,
		links:     []string{xenTSCMode},
	},
	{
		is: func(h result.Host) bool {
			return guestOf("xen")(h) || h.ClockSource != nil && h.ClockSource.Current == "xen"
		},
		invariant: "Xen gives a guest the invariant TSC with itsc=1 and without migration (nomigrate=1).",
		trap:      xenTrap,
		risk:      "On Xen the TSC may be emulated or, on old hosts, differ between CPUs. After a live migration to a host with another TSC rate it may run at a wrong rate. Amazon recommends tsc for its Xen instances; others warn against it. Check for jumps afterwards, and measure.",
		remedies:  xenKernel,
		links:     []string{xenTSCMode, "https://repost.aws/knowledge-center/manage-ec2-linux-clock-source"},
	},
	{
		is:        guestOf("firecracker"),
		invariant: "Firecracker passes on what KVM on the host and the CPU template allow.",
		trap:      kvmTrap,
		risk:      "After a snapshot is restored on another host, the TSC may have jumped.",
		remedies:  []result.Remedy{kvmHost},
		links:     []string{"https://github.com/firecracker-microvm/firecracker/blob/main/FAQ.md"},
	},
	{
		is:        guestOf("kvm"),
		invariant: "QEMU sets the invariant TSC bit with -cpu host,migratable=off or -cpu MODEL,+invtsc; libvirt with <feature policy='require' name='invtsc'/>.",
		trap:      kvmTrap,
		risk:      "A guest with an invariant TSC can be migrated only to hosts with the same TSC rate or with TSC scaling. Without the invariant bit, the watchdog of the kernel may mark the TSC unstable again.",
		remedies: []result.Remedy{
			kvmHost,
			{
				Advice: "Make the hypervisor set the invariant TSC bit: QEMU -cpu host,migratable=off or +invtsc, libvirt <feature policy='require' name='invtsc'/>",
				Risk:   "Such a guest can be migrated only to hosts with the same TSC rate or with TSC scaling.",
			},
		},
		links:        []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
		windows:      []result.Remedy{hvTime, kvmHost},
		windowsCause: "A Windows guest of KVM also does this if it does not have Hyper-V's reference time (hv-time), which QEMU gives only on request.",
		windowsLinks: []string{qemuHyperV, libvirtTime},
	},
	{
		is:        guestOf("hyperv"),
		invariant: "Hyper-V and Azure set the invariant TSC bit on newer hosts. The kernel then selects tsc by itself.",
		trap:      "After a migration to a host with another TSC rate, Hyper-V may emulate the TSC until the guest accepts the new rate (reenlightenment in the Hyper-V functional specification).",
		risk:      "If Hyper-V does not set the invariant TSC bit, a live migration may change the TSC rate.",
		remedies: []result.Remedy{{
			Advice: "Use a newer configuration version of the virtual machine, or a newer host: user mode can read hyperv_clocksource_tsc_page and tsc, but not hyperv_clocksource_msr",
		}},
		links: []string{"https://docs.kernel.org/virt/hyperv/clocks.html"},
	},
	{
		is:        guestOf("vmware"),
		invariant: "VMware reports the TSC rate to the kernel, and the kernel then trusts the TSC.",
		trap:      "VMware intercepts RDTSC with monitor_control.virtual_rdtsc = TRUE, and after a migration to a host with another TSC rate.",
		risk:      "After a migration to a host with another TSC rate, VMware emulates the TSC, which is slow, or the TSC rate changes.",
		remedies: []result.Remedy{{
			Advice: "Remove clocksource=acpi_pm and similar parameters from the kernel command line. They were recommended for kernels of 2009; a newer kernel selects tsc by itself on VMware",
			Risk:   "None known for a kernel of the last ten years.",
		}},
		links: []string{"https://github.com/torvalds/linux/blob/master/arch/x86/kernel/cpu/vmware.c"},
	},
	{
		is:        guestOf("virtualbox"),
		invariant: "VirtualBox sets the invariant TSC bit if the host has it and VirtualBox does not run on Hyper-V.",
		trap:      "VirtualBox intercepts RDTSC if its TSC mode is not RealTSCOffset, or if it runs on Hyper-V.",
		risk:      "VirtualBox may virtualise the TSC after a pause or with several CPUs. Do not keep tsc if the kernel log reports the TSC as unstable.",
		remedies: []result.Remedy{{
			Advice:   "Enable the KVM paravirtualisation interface, so that Linux has kvm-clock. Switch the machine off first, and run this on the host",
			Commands: []string{"VBoxManage modifyvm NAME --paravirtprovider kvm"},
			Risk:     "On a host with Hyper-V, guests with this setting have been seen to hang. The setting legacy undoes it.",
		}},
		links: []string{"https://www.virtualbox.org/manual/"},
	},
	{
		is:        guestOf("qemu"),
		invariant: "QEMU without KVM cannot set the invariant TSC bit.",
		trap:      "QEMU without KVM emulates every instruction.",
		risk:      "QEMU derives the emulated TSC from the clock of the host. The kernel trusts it only with tsc=reliable.",
		remedies: []result.Remedy{
			{Advice: "Use KVM (-accel kvm): everything is slow on an emulated machine"},
			{
				Advice: "Without KVM, boot the guest with tsc=reliable, so that it uses the emulated TSC",
				Risk:   "Nothing checks the TSC then. With several emulated CPUs it may jump.",
			},
		},
		links: []string{"https://www.qemu.org/docs/master/system/introduction.html"},
	},
}

// hypervisorOf returns the hypervisor of the document's machine; nil if there is none, or
// nothing is known about it.
func hypervisorOf(d *result.Document) *hypervisor {
	for i := range hypervisors {
		if hypervisors[i].is(d.Host) {
			return &hypervisors[i]
		}
	}
	return nil
}
