package diagnose

import "github.com/timebench/timebench/internal/result"

// What holds for all domains of Xen.
const (
	xenTSCMode = "https://xenbits.xen.org/docs/unstable/man/xen-tscmode.7.html"
	xenTrap    = "Xen does it in tsc_mode always_emulate, and in the default mode where the host's TSC is not safe or the guest came from a host of another rate."
)

// kvmTrap: KVM leaves RDTSC to the CPU, whatever its rate (arch/x86/kvm/vmx, svm).
const kvmTrap = "KVM itself does not; a hypervisor beneath it may (nested virtualisation), or this is emulation."

var kvmHost = result.Remedy{
	Advice:   "See on the host that its own clock source is tsc: kvm-clock is read in user mode only then",
	Commands: []string{"cat /sys/devices/system/clocksource/clocksource0/current_clocksource # on the host"},
}

var xenKernel = []result.Remedy{{
	Advice: "A kernel from Linux 6.3 on takes tsc by itself on Xen, where the TSC is invariant and not emulated",
	Risk:   "That of a new kernel.",
}}

// A hypervisor is what is known of the clocks of the machines that it runs.
type hypervisor struct {
	// is reports whether a machine is one of its.
	is func(result.Host) bool
	// invariant is how it gives its machines an invariant TSC; a sentence.
	invariant string
	// trap is what makes it intercept reads of the TSC, if anything does; a sentence.
	trap string
	// risk is that of a switch to tsc within its machines.
	risk     string
	remedies []result.Remedy
	links    []string
}

// system is for the guests of a hypervisor: a host's own clocks are those of its CPUs.
func system(name string) func(result.Host) bool { return role(name, "guest") }

func role(name, role string) func(result.Host) bool {
	return func(h result.Host) bool {
		return h.Virtualization != nil && h.Virtualization.System == name && h.Virtualization.Role == role
	}
}

// hypervisors are those of which there is something to say, the more special before
// the more general. A new one is one entry.
var hypervisors = []hypervisor{
	{
		is:        role("xen", "host"), // the first domain, which Xen runs like the others
		invariant: "Xen shows its first domain the invariant TSC where the machine has one.",
		trap:      xenTrap,
		risk:      "Xen's own clock corrects what differs between the CPUs' TSCs; the TSC alone does not.",
		remedies:  xenKernel,
		links:     []string{xenTSCMode},
	},
	{
		is: func(h result.Host) bool {
			return system("xen")(h) || h.ClockSource != nil && h.ClockSource.Current == "xen"
		},
		invariant: "Xen shows the invariant TSC to a guest with itsc=1 and without migration (nomigrate=1).",
		trap:      xenTrap,
		risk:      "On Xen the TSC may be emulated or, on old hosts, differ between CPUs; after a live migration to a host of another rate it may run wrong. Amazon names tsc for its Xen instances; others warn. Look for jumps afterwards, and measure.",
		remedies:  xenKernel,
		links:     []string{xenTSCMode, "https://repost.aws/knowledge-center/manage-ec2-linux-clock-source"},
	},
	{
		is:        system("firecracker"),
		invariant: "Firecracker passes on what the host's KVM and the CPU template allow.",
		trap:      kvmTrap,
		risk:      "After a snapshot is restored elsewhere the TSC may have jumped.",
		remedies:  []result.Remedy{kvmHost},
		links:     []string{"https://github.com/firecracker-microvm/firecracker/blob/main/FAQ.md"},
	},
	{
		is:        system("kvm"),
		invariant: "QEMU shows it with -cpu host,migratable=off or -cpu MODEL,+invtsc; libvirt with <feature policy='require' name='invtsc'/>.",
		trap:      kvmTrap,
		risk:      "A guest with an invariant TSC can be migrated only to hosts of the same TSC rate, or that scale it. Without the invariant bit the kernel's watchdog may give tsc up again.",
		remedies: []result.Remedy{
			kvmHost,
			{
				Advice: "Have the hypervisor show the invariant TSC: QEMU -cpu host,migratable=off or +invtsc, libvirt <feature policy='require' name='invtsc'/>",
				Risk:   "Such a guest can be migrated only to hosts of the same TSC rate, or that scale it.",
			},
		},
		links: []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	},
	{
		is:        system("hyperv"),
		invariant: "Hyper-V and Azure show it on newer hosts; the kernel then takes tsc by itself.",
		trap:      "After a migration to a host of another rate Hyper-V may emulate the TSC, until the guest says that it can live with the new one (reenlightenment, in Hyper-V's functional specification).",
		risk:      "Where Hyper-V does not show an invariant TSC, a live migration may change its rate.",
		remedies: []result.Remedy{{
			Advice: "Use a newer configuration version of the virtual machine, or a newer host: hyperv_clocksource_tsc_page and tsc are read in user mode, hyperv_clocksource_msr is not",
		}},
		links: []string{"https://docs.kernel.org/virt/hyperv/clocks.html"},
	},
	{
		is:        system("vmware"),
		invariant: "VMware tells the kernel the TSC's rate, and the kernel then trusts it.",
		trap:      "VMware does it with monitor_control.virtual_rdtsc = TRUE, and for a machine that was moved to a host of another rate.",
		risk:      "After a move to a host of another rate VMware has to emulate the TSC, which is slow, or its rate changes.",
		remedies: []result.Remedy{{
			Advice: "Take clocksource=acpi_pm and the like, which were advised for the kernels of 2009, from the kernel's command line: a newer kernel takes tsc by itself on VMware",
			Risk:   "None that is known for a kernel of the last ten years.",
		}},
		links: []string{"https://github.com/torvalds/linux/blob/master/arch/x86/kernel/cpu/vmware.c"},
	},
	{
		is:        system("virtualbox"),
		invariant: "VirtualBox shows it where the host has it and Hyper-V is not beneath.",
		trap:      "VirtualBox does it where its TSC mode is not RealTSCOffset, and where Hyper-V is beneath.",
		risk:      "VirtualBox may virtualise the TSC after a pause or on several CPUs; do not keep it where the log says that it was unstable.",
		remedies: []result.Remedy{{
			Advice:   "Give the machine KVM's interface, so that Linux has kvm-clock; with the machine switched off, on the host",
			Commands: []string{"VBoxManage modifyvm NAME --paravirtprovider kvm"},
			Risk:     "Where Hyper-V is beneath VirtualBox a guest has been seen to hang with it; legacy undoes it.",
		}},
		links: []string{"https://www.virtualbox.org/manual/"},
	},
	{
		is:        system("qemu"),
		invariant: "QEMU without KVM cannot show it.",
		trap:      "QEMU without KVM emulates every instruction.",
		risk:      "QEMU's emulated TSC is made of the host's clock; the kernel trusts it only with tsc=reliable.",
		remedies: []result.Remedy{
			{Advice: "Use KVM (-accel kvm): an emulated machine is slow in everything"},
			{
				Advice: "Without KVM, boot the guest with tsc=reliable, so that it takes the emulated TSC",
				Risk:   "Nothing checks the TSC then; on several CPUs of an emulator it may jump.",
			},
		},
		links: []string{"https://www.qemu.org/docs/master/system/introduction.html"},
	},
}

// hypervisorOf returns what is known of the hypervisor beneath the document's machine;
// nil where there is none, or nothing is known.
func hypervisorOf(d *result.Document) *hypervisor {
	for i := range hypervisors {
		if hypervisors[i].is(d.Host) {
			return &hypervisors[i]
		}
	}
	return nil
}
