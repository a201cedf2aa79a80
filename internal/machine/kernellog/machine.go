package kernellog

import (
	"cmp"
	"strings"
)

// hypervisors are the names of hypervisors in the log, by their beginning in lower case: of "Hypervisor detected: KVM"
// (arch/x86/kernel/cpu/hypervisor.c and its neighbours) and of the vendor and product in "DMI: ".
var hypervisors = []struct{ detected, firmware, system string }{
	{"kvm", "red hat kvm", "kvm"}, {"microsoft", "microsoft corporation virtual machine", "hyperv"}, {"vmware", "vmware", "vmware"},
	{"xen", "xen", "xen"}, {"bhyve", "bhyve", "bhyve"}, {"jailhouse", "", "jailhouse"}, {"acrn", "", "acrn"},
	{"", "innotek gmbh virtualbox", "virtualbox"}, {"", "parallels", "parallels"}, {"", "qemu", "qemu"},
	{"", "oxvm", "bhyve"}, {"", "oxide oxvm", "bhyve"}, {"", "openstack", "kvm"}, {"", "rdo openstack", "kvm"},
	{"", "apple inc. apple virtualization", "apple"},
	// The OEM of the ACPI tables.
	{"", "vbox", "virtualbox"}, {"", "prls", "parallels"}, {"", "bochs", "qemu"}, {"", "ptltd", "vmware"}, {"", "vrtual", "hyperv"},
}

// guestClocks are the clock sources that a hypervisor offers, with its name: a kernel that has one is a guest, or the
// first domain of Xen.
var guestClocks = map[string]string{
	"kvm-clock": "kvm", "xen": "xen",
	"hyperv_clocksource": "hyperv", "hyperv_clocksource_tsc_page": "hyperv", "hyperv_clocksource_msr": "hyperv",
}

// guestTools are the programs and drivers by which a hypervisor sets the clock of its guests.
var guestTools = map[string]string{"vmtoolsd": "vmware", "VBoxService": "virtualbox", "virtio_vmmci": "vmm"}

// MachineOf returns the facts of the machine in the log: the kernel's release, the hypervisor, the boot parameters
// about clocks, the clock source that it switched to last.
func MachineOf(events []Event) Machine {
	var m Machine
	for _, e := range events {
		switch e.Kind {
		case kernelVersion:
			m.Kernel = e.Name
			m.Guest = m.Guest || strings.HasSuffix(e.Name, "-linuxkit") // the machine of Docker Desktop
		case cpuName:
			m.CPU = e.Name
		case stepped:
			if system := guestTools[e.Name]; system != "" {
				m.Guest, m.Hypervisor = true, cmp.Or(m.Hypervisor, system)
			}
		case virtioDriver:
			m.Guest = true
		case wslInit:
			m.Guest, m.Hypervisor = true, "hyperv"
		case arm32:
			m.Arch = "arm"
		case commandLine:
			m.Parameters = strings.Fields(e.Name)
		case switched:
			m.ClockSource = e.Clock
		case hypervisorKind:
			m.Guest, m.Hypervisor = true, detected(e.Name) // surer than the firmware's names
		case xenGuest:
			m.Guest, m.Hypervisor = true, "xen"
		case firmwareNames:
			if system := OfFirmware(e.Name); system != "" {
				m.Guest, m.Hypervisor = true, cmp.Or(m.Hypervisor, system)
			}
		case armRate, erratum, counterTrapped:
			m.Arch = cmp.Or(m.Arch, "arm64")
		}
		if e.Marks() && e.Clock == m.ClockSource {
			m.ClockSource = "" // the kernel switches to another one, in a line that the log may lack
		}
		if system := guestClocks[e.Clock]; system != "" {
			m.Guest, m.Hypervisor = true, cmp.Or(m.Hypervisor, system)
		}
	}
	return m
}

func detected(name string) string {
	for _, h := range hypervisors {
		if h.detected != "" && strings.HasPrefix(strings.ToLower(name), h.detected) {
			return h.system
		}
	}
	return name
}

// OfFirmware returns the hypervisor whose machines have these names in their firmware, the vendor and then the product;
// "" if it is unknown. It ignores names of clouds, which also have machines without a hypervisor.
func OfFirmware(names string) string {
	for _, h := range hypervisors {
		if h.firmware != "" && strings.HasPrefix(strings.ToLower(names), h.firmware) {
			return h.system
		}
	}
	return ""
}

// with returns the machine with what the log says where a fact is unknown.
func (m Machine) with(log Machine) Machine {
	m.Arch = cmp.Or(m.Arch, log.Arch)
	m.Kernel = cmp.Or(m.Kernel, log.Kernel)
	m.CPU = cmp.Or(m.CPU, log.CPU)
	m.Guest = m.Guest || log.Guest
	m.Hypervisor = cmp.Or(m.Hypervisor, log.Hypervisor)
	m.ClockSource = cmp.Or(m.ClockSource, log.ClockSource)
	if m.Parameters == nil {
		m.Parameters = log.Parameters
	}
	return m
}
