package kernellog

import (
	"cmp"
	"strings"
)

// names are the beginnings of names in lower case, each with the hypervisor that it shows. The first that matches
// counts.
type names [][2]string

func (n names) of(text string) string {
	for _, name := range n {
		if strings.HasPrefix(strings.ToLower(text), name[0]) {
			return name[1]
		}
	}
	return ""
}

var (
	// detected are the names in "Hypervisor detected: KVM" (arch/x86/kernel/cpu/hypervisor.c and its neighbours).
	detected = names{{"kvm", "kvm"}, {"microsoft", "hyperv"}, {"vmware", "vmware"}, {"xen", "xen"}, {"bhyve", "bhyve"}, {"jailhouse", "jailhouse"}, {"acrn", "acrn"}}
	// firmwares are the vendor and the product in "DMI: ", and then the OEM of the ACPI tables.
	firmwares = names{
		{"red hat kvm", "kvm"}, {"microsoft corporation virtual machine", "hyperv"}, {"vmware", "vmware"}, {"xen", "xen"}, {"bhyve", "bhyve"},
		{"innotek gmbh virtualbox", "virtualbox"}, {"parallels", "parallels"}, {"qemu", "qemu"}, {"oxvm", "bhyve"}, {"oxide oxvm", "bhyve"},
		{"openstack", "kvm"}, {"rdo openstack", "kvm"}, {"apple inc. apple virtualization", "apple"},
		{"vbox", "virtualbox"}, {"prls", "parallels"}, {"bochs", "qemu"}, {"ptltd", "vmware"}, {"vrtual", "hyperv"},
	}
)

// OfFirmware returns the hypervisor whose machines have these names in their firmware, the vendor and then the product;
// "" if it is unknown. It ignores names of clouds, which also have machines without a hypervisor.
func OfFirmware(names string) string { return firmwares.of(names) }

// guests are the hypervisors whose guests a line shows: by its kind; by its clock source, which they offer (to the first
// domain of Xen too); or by the program or driver that sets the clock of guests.
var guests = map[string]string{
	"xen-guest": "xen", "wsl": "hyperv",
	"kvm-clock": "kvm", "xen": "xen", "hyperv_clocksource": "hyperv", "hyperv_clocksource_tsc_page": "hyperv", "hyperv_clocksource_msr": "hyperv",
	"vmtoolsd": "vmware", "VBoxService": "virtualbox", "virtio_vmmci": "vmm",
}

// MachineOf returns the facts of the machine in the log: the kernel's release, the hypervisor, the boot parameters
// about clocks, the clock source that it switched to last.
func MachineOf(events []Event) Machine {
	var m Machine
	for _, e := range events {
		system := cmp.Or(guests[string(e.Kind)], guests[e.Clock])
		switch e.Kind {
		case "kernel-version":
			m.Kernel = e.Name
			m.Guest = m.Guest || strings.HasSuffix(e.Name, "-linuxkit") // the machine of Docker Desktop
		case "cpu-name":
			m.CPU = e.Name
		case stepped:
			system = guests[e.Name]
		case "virtio":
			m.Guest = true
		case "arm-32":
			m.Arch = "arm"
		case "command-line":
			m.Parameters = strings.Fields(e.Name)
		case switched:
			m.ClockSource = e.Clock
		case "hypervisor":
			system = cmp.Or(detected.of(e.Name), e.Name)
			m.Hypervisor = system // surer than the firmware's names
		case "firmware-names":
			system = OfFirmware(e.Name)
		case armRate, erratum, "counter-trapped":
			m.Arch = cmp.Or(m.Arch, "arm64")
		}
		if e.Marks() && e.Clock == m.ClockSource {
			m.ClockSource = "" // the kernel switches to another one, in a line that the log may lack
		}
		if system != "" {
			m.Guest, m.Hypervisor = true, cmp.Or(m.Hypervisor, system)
		}
	}
	return m
}

// with returns the machine with what the log says where a fact is unknown.
func (m Machine) with(log Machine) Machine {
	m.Arch, m.Kernel, m.CPU = cmp.Or(m.Arch, log.Arch), cmp.Or(m.Kernel, log.Kernel), cmp.Or(m.CPU, log.CPU)
	m.Guest, m.Hypervisor, m.ClockSource = m.Guest || log.Guest, cmp.Or(m.Hypervisor, log.Hypervisor), cmp.Or(m.ClockSource, log.ClockSource)
	if m.Parameters == nil {
		m.Parameters = log.Parameters
	}
	return m
}
