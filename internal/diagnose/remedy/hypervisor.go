package remedy

// Facts of all domains of Xen (docs/man/xen-tscmode.7).
const (
	xenTSCMode = "https://xenbits.xen.org/docs/unstable/man/xen-tscmode.7.html"
	xenTrap    = "Xen intercepts RDTSC in tsc_mode always_emulate. In the default mode it does so if the TSC of the host is not safe, or if the guest came from a host with another TSC rate."
)

// kvmTrap: KVM never intercepts RDTSC (arch/x86/kvm/vmx, svm).
const kvmTrap = "KVM itself does not intercept RDTSC. A hypervisor below KVM may (nested virtualisation), or the machine is emulated."

// A Hypervisor is the facts about the clocks of its guests.
type Hypervisor struct {
	// is reports whether a machine runs on it.
	is func(*machine) bool
	// Invariant is a sentence: how it gives guests an invariant TSC.
	Invariant string
	// Trap is a sentence: when it intercepts RDTSC.
	Trap string
	// risk is the risk of a switch to tsc in a guest.
	risk string
	// remedies are the names of its remedies for a guest that does not read its clock in user mode.
	remedies []string
	Links    []string
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
		Links:     []string{xenTSCMode},
	},
	{
		is:        (*machine).OnXen,
		Invariant: "Xen gives a guest the invariant TSC with itsc=1 and without migration (nomigrate=1).",
		Trap:      xenTrap,
		risk:      "On Xen the TSC may be emulated or, on old hosts, differ between CPUs. After a live migration to a host with another TSC rate it may run at a wrong rate. Amazon recommends tsc for its Xen instances; others warn against it. Check for jumps afterwards, and measure.",
		remedies:  []string{"ec2-nitro", "xen-native"},
		Links:     []string{xenTSCMode, "https://repost.aws/knowledge-center/manage-ec2-linux-clock-source"},
	},
	{
		is:        func(s *machine) bool { return s.GuestUnder("firecracker") },
		Invariant: "Firecracker passes on what KVM on the host and the CPU template allow.",
		Trap:      kvmTrap,
		risk:      "When a snapshot is restored, Firecracker can advance kvm-clock (clock_realtime), but not the TSC. Keep kvm-clock if the machine is restored from snapshots.",
		remedies:  []string{"host-on-tsc", "match-vcpus"},
		Links:     []string{FirecrackerSnapshots},
	},
	{
		is:        func(s *machine) bool { return s.GuestUnder("kvm") },
		Invariant: "QEMU sets the invariant TSC bit with -cpu host,migratable=off or -cpu MODEL,+invtsc; libvirt with <feature policy='require' name='invtsc'/>.",
		Trap:      kvmTrap,
		risk:      invtscRisk + " Without the invariant bit, the watchdog of the kernel may mark the TSC unstable again.",
		remedies:  []string{"remove-vsyscall", "host-on-tsc", "kvm-clock-in-guest", "match-vcpus", "invtsc"},
		Links:     []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	},
	{
		is:        func(s *machine) bool { return s.GuestUnder("hyperv") },
		Invariant: "Hyper-V and Azure set the invariant TSC bit on newer hosts. Linux 5.6 and later then select tsc by themselves.",
		Trap:      "After a migration to a host with another TSC rate, Hyper-V may emulate the TSC until the guest accepts the new rate (reenlightenment in the Hyper-V functional specification).",
		risk:      "If Hyper-V does not set the invariant TSC bit, a live migration may change the TSC rate.",
		remedies:  []string{"hyperv-version"},
		Links:     []string{"https://docs.kernel.org/virt/hyperv/clocks.html"},
	},
	{
		is:        func(s *machine) bool { return s.GuestUnder("vmware") },
		Invariant: "VMware reports the TSC rate to the kernel, and the kernel then trusts the TSC.",
		Trap:      "VMware virtualises the TSC (monitor_control.virtual_rdtsc = TRUE, the default). It then intercepts RDTSC only if the CPU of the host cannot add the offset, or cannot scale the rate after a migration.",
		risk:      "After a migration to a host with another TSC rate, VMware emulates the TSC, which is slow, or the TSC rate changes.",
		Links:     []string{"https://knowledge.broadcom.com/external/article/310053", "https://github.com/torvalds/linux/blob/master/arch/x86/kernel/cpu/vmware.c"},
	},
	{
		is:        func(s *machine) bool { return s.GuestUnder("virtualbox") },
		Invariant: "VirtualBox sets the invariant TSC bit if the host has it and VirtualBox does not run on Hyper-V.",
		Trap:      "VirtualBox intercepts RDTSC if its TSC mode is not RealTSCOffset, or if it runs on Hyper-V.",
		risk:      "VirtualBox may virtualise the TSC after a pause or with several CPUs. Do not keep tsc if the kernel log reports the TSC as unstable.",
		remedies:  []string{"vbox-paravirt"},
		Links:     []string{"https://www.virtualbox.org/manual/"},
	},
	{
		is:       func(s *machine) bool { return s.GuestUnder("bhyve", "xhyve", "hyperkit") },
		remedies: []string{"bhyve-host"},
		Links:    []string{"https://github.com/oxidecomputer/propolis/issues/328"},
	},
	{
		is:        func(s *machine) bool { return s.GuestUnder("qemu", "tcg") },
		Invariant: "QEMU without KVM cannot set the invariant TSC bit.",
		Trap:      "QEMU without KVM emulates every instruction.",
		risk:      "QEMU derives the emulated TSC from the clock of the host. The kernel trusts it only with tsc=reliable.",
		remedies:  []string{"accel-kvm", "qemu-reliable"},
		Links:     []string{"https://www.qemu.org/docs/master/system/introduction.html"},
	},
}

// FirecrackerSnapshots is Firecracker's page on snapshots: clock_realtime, and the caveats of a restored machine.
const FirecrackerSnapshots = "https://github.com/firecracker-microvm/firecracker/blob/main/docs/snapshotting/snapshot-support.md"

// HypervisorOf returns the hypervisor of the machine; nil if it is unknown or missing.
func HypervisorOf(s *machine) *Hypervisor {
	for i := range hypervisors {
		if hypervisors[i].is(s) {
			return &hypervisors[i]
		}
	}
	return nil
}
