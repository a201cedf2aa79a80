package host

import (
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/host"
	"github.com/timebench/timebench/internal/result"
)

// loggedHypervisors are the names for those that the kernel's log tells of, "Hypervisor
// detected: KVM", by how they begin (arch/x86/kernel/cpu/hypervisor.c and the files of
// the hypervisors beside it).
var loggedHypervisors = []struct{ begins, system string }{
	{"KVM", "kvm"}, {"Microsoft", "hyperv"}, {"VMware", "vmware"}, {"Xen", "xen"},
	{"Jailhouse", "jailhouse"}, {"ACRN", "acrn"}, {"Bhyve", "bhyve"},
}

// firmwares are the hypervisors whose virtual machines name themselves in the DMI
// tables, by how sys_vendor and product_name begin. Clouds have names of their own,
// which they give to machines without a hypervisor too.
var firmwares = []struct{ vendor, product, system string }{
	{"QEMU", "", "qemu"}, {"Xen", "", "xen"}, {"VMware", "", "vmware"}, {"innotek GmbH", "VirtualBox", "virtualbox"},
	{"Microsoft Corporation", "Virtual Machine", "hyperv"}, {"Parallels", "", "parallels"}, {"BHYVE", "", "bhyve"},
	{"Apple Inc.", "Apple Virtualization", "apple"}, {"Red Hat", "KVM", "kvm"},
}

// virtualization asks Xen's own file first (a paravirtual guest's CPU tells of what is
// beneath Xen, or nothing), then the CPU, the kernel's log and the firmware, then
// gopsutil, whose containers are not hypervisors: it calls any machine with a trace of
// Docker "docker". lines are those of the log that concern clocks.
func virtualization(root string, lines []string, machine *result.Machine) *result.Virtualization {
	system, role := readName(root, "sys/hypervisor/type"), "guest"
	if system == "" && root == live {
		system = cpuHypervisor()
	}
	if strings.Contains(readFile(root, "proc/xen/capabilities"), "control_d") {
		system, role = "xen", "host"
	}
	if system == "" {
		system = loggedHypervisor(lines)
	}
	if system == "" {
		system = firmwareHypervisor(root, machine)
	}
	if system == "" && root == live {
		guessed, guessedRole, err := host.Virtualization()
		if err == nil && slices.Contains([]string{"xen", "kvm", "hyperv", "vbox", "vmware"}, guessed) {
			system, role = guessed, guessedRole
		}
	}
	if system == "" {
		return nil
	}
	return &result.Virtualization{System: system, Role: role}
}

func loggedHypervisor(lines []string) string {
	for _, line := range lines {
		_, name, found := strings.Cut(line, "Hypervisor detected: ")
		if !found {
			continue
		}
		for _, known := range loggedHypervisors {
			if strings.HasPrefix(name, known.begins) {
				return known.system
			}
		}
		return printable(name)
	}
	return ""
}

// firmwareHypervisor goes by the DMI tables, or by the name that QEMU gives its
// machine "virt" in a device tree. Arm CPUs have no leaf that would tell.
func firmwareHypervisor(root string, machine *result.Machine) string {
	if strings.Contains(readFile(root, "proc/device-tree/compatible"), "linux,dummy-virt") {
		return "qemu"
	}
	if machine == nil {
		return ""
	}
	for _, known := range firmwares {
		if strings.HasPrefix(machine.Vendor, known.vendor) && strings.HasPrefix(machine.Product, known.product) {
			return known.system
		}
	}
	return ""
}
