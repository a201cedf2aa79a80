package remedy

import (
	"github.com/timebench/timebench/internal/diagnose/situation"
)

// Facts of all domains of Xen (docs/man/xen-tscmode.7).
const (
	xenTSCMode = "https://xenbits.xen.org/docs/unstable/man/xen-tscmode.7.html"
	xenTrap    = "Xen intercepts RDTSC in tsc_mode always_emulate. In the default mode it does so if the TSC of the host is not safe, or if the guest came from a host with another TSC rate."
)

// kvmTrap: KVM never intercepts RDTSC (arch/x86/kvm/vmx, svm).
const kvmTrap = "KVM itself does not intercept RDTSC. A hypervisor below KVM may (nested virtualisation), or the machine is emulated."

// A Hypervisor is the facts about the clocks of its guests.
type Hypervisor struct {
	is        func(*machine) bool // is reports whether a machine runs on it
	Invariant string              // a sentence: how it gives guests an invariant TSC
	Trap      string              // a sentence: when it intercepts RDTSC
	risk      string              // the risk of a switch to tsc in a guest
	remedies  []string            // the names of its remedies for a guest that does not read its clock in user mode
	Links     []string
}

// hypervisors are the known hypervisors; the first that matches counts, so special ones come first. A new one is one
// entry.
var hypervisors = []Hypervisor{
	{
		// dom0, which Xen runs like the other domains. Kernels prefer the TSC there, where it is usable
		// (arch/x86/xen/time.c: xen_time_init).
		is:        func(s *machine) bool { return s.HostOf("xen") },
		Invariant: "Xen gives its first domain (dom0) the invariant TSC if the machine has one.",
		Trap:      xenTrap,
		risk:      "Xen's clock corrects differences between the TSCs of the CPUs. The TSC itself does not.",
		Links:     []string{xenTSCMode}},
	{is: (*machine).OnXen,
		Invariant: "Xen gives a guest the invariant TSC with itsc=1 and without migration (nomigrate=1).",
		Trap:      xenTrap,
		risk:      "On Xen the TSC may be emulated or, on old hosts, differ between CPUs. After a live migration to a host with another TSC rate it may run at a wrong rate. Amazon recommends tsc for its Xen instances; others warn against it. Check for jumps afterwards, and measure.",
		remedies:  []string{"ec2-nitro", "xen-native"},
		Links:     []string{xenTSCMode, "https://repost.aws/knowledge-center/manage-ec2-linux-clock-source"}},
	{is: func(s *machine) bool { return s.GuestUnder("firecracker") },
		Invariant: "Firecracker passes on what KVM on the host and the CPU template allow.",
		Trap:      kvmTrap,
		risk:      "When a snapshot is restored, Firecracker can advance kvm-clock (clock_realtime), but not the TSC. Keep kvm-clock if the machine is restored from snapshots.",
		remedies:  []string{"host-on-tsc", "match-vcpus"},
		Links:     []string{FirecrackerSnapshots}},
	{is: func(s *machine) bool { return s.GuestUnder("kvm") },
		Invariant: "QEMU sets the invariant TSC bit with -cpu host,migratable=off or -cpu MODEL,+invtsc; libvirt with <feature policy='require' name='invtsc'/>.",
		Trap:      kvmTrap,
		risk:      invtscRisk + " Without the invariant bit, the watchdog of the kernel may mark the TSC unstable again.",
		remedies:  []string{"remove-vsyscall", "host-on-tsc", "kvm-clock-in-guest", "match-vcpus", "invtsc"},
		Links:     []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"}},
	{is: func(s *machine) bool { return s.GuestUnder("hyperv") },
		Invariant: "Hyper-V and Azure set the invariant TSC bit on newer hosts. Linux 5.6 and later then select tsc by themselves.",
		Trap:      "After a migration to a host with another TSC rate, Hyper-V may emulate the TSC until the guest accepts the new rate (reenlightenment in the Hyper-V functional specification).",
		risk:      "If Hyper-V does not set the invariant TSC bit, a live migration may change the TSC rate.",
		remedies:  []string{"hyperv-version"},
		Links:     []string{"https://docs.kernel.org/virt/hyperv/clocks.html"}},
	{is: func(s *machine) bool { return s.GuestUnder("vmware") },
		Invariant: "VMware reports the TSC rate to the kernel, and the kernel then trusts the TSC.",
		Trap:      "VMware virtualises the TSC (monitor_control.virtual_rdtsc = TRUE, the default). It then intercepts RDTSC only if the CPU of the host cannot add the offset, or cannot scale the rate after a migration.",
		risk:      "After a migration to a host with another TSC rate, VMware emulates the TSC, which is slow, or the TSC rate changes.",
		Links:     []string{"https://knowledge.broadcom.com/external/article/310053", "https://github.com/torvalds/linux/blob/master/arch/x86/kernel/cpu/vmware.c"}},
	{is: func(s *machine) bool { return s.GuestUnder("virtualbox") },
		Invariant: "VirtualBox sets the invariant TSC bit if the host has it and VirtualBox does not run on Hyper-V.",
		Trap:      "VirtualBox intercepts RDTSC if its TSC mode is not RealTSCOffset, or if it runs on Hyper-V.",
		risk:      "VirtualBox may virtualise the TSC after a pause or with several CPUs. Do not keep tsc if the kernel log reports the TSC as unstable.",
		remedies:  []string{"vbox-paravirt"},
		Links:     []string{"https://www.virtualbox.org/manual/"}},
	{is: func(s *machine) bool { return s.GuestUnder("bhyve", "xhyve", "hyperkit") },
		remedies: []string{"bhyve-host"},
		Links:    []string{"https://github.com/oxidecomputer/propolis/issues/328"}},
	{is: func(s *machine) bool { return s.GuestUnder("qemu", "tcg") },
		Invariant: "QEMU without KVM cannot set the invariant TSC bit.",
		Trap:      "QEMU without KVM emulates every instruction.",
		risk:      "QEMU derives the emulated TSC from the clock of the host. The kernel trusts it only with tsc=reliable.",
		remedies:  []string{"accel-kvm", "qemu-reliable"},
		Links:     []string{"https://www.qemu.org/docs/master/system/introduction.html"}},
}

// FirecrackerSnapshots is Firecracker's page on snapshots: clock_realtime, and the caveats of a restored machine.
const FirecrackerSnapshots = "https://github.com/firecracker-microvm/firecracker/blob/main/docs/snapshotting/snapshot-support.md"

// HypervisorOf returns the hypervisor of the machine; nil if it is unknown or missing.
func HypervisorOf(s *machine) *Hypervisor {
	return situation.First(hypervisors, func(h Hypervisor) bool { return h.is(s) })
}

// A machine is the situation that a remedy is for.
type machine = situation.Situation

// A Cloud is a provider that the firmware of its machines names, with its own time service.
type Cloud struct{ vendor, product, advice, Link string }

// clouds are recognised by vendor and product, as systemd does (src/basic/virt.c, dmi_vendor_table): Google also makes
// Chromebooks, and Microsoft the Surface.
var clouds = []Cloud{
	{"Amazon EC2", "", "Amazon provides a time service at 169.254.169.123, and a PTP clock of the network adapter (ENA) on newer instances", "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html"},
	{"Google", "Google Compute Engine", "Google provides a time service at metadata.google.internal", "https://cloud.google.com/compute/docs/instances/configure-ntp"},
	{"Microsoft Corporation", "Virtual Machine", "Azure and Hyper-V provide a PTP clock for chrony, /dev/ptp_hyperv", "https://learn.microsoft.com/en-us/azure/virtual-machines/linux/time-sync"},
}

// CloudOf returns the cloud of a machine; nil outside of a known cloud.
func CloudOf(s *machine) *Cloud {
	if s.Host.Machine == nil {
		return nil
	}
	return situation.First(clouds, func(c Cloud) bool {
		return s.Host.Machine.Vendor == c.vendor && (c.product == "" || s.Host.Machine.Product == c.product)
	})
}

// onOwnHost reports whether the user may have access to the host of a virtual machine: not in a public cloud.
func onOwnHost(s *machine) bool { return CloudOf(s) == nil && !s.InWSL() }
