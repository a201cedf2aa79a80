package host

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// virtualization returns the hypervisor, "unknown" if only the CPU flag shows one, or nil. It reads the file of Xen
// first (the CPU of a paravirtual guest reports the hypervisor below Xen, or none), then the CPU, the kernel log, the
// firmware, and last the loaded kernel modules. hypervisor is what the CPU reports, logged is what the log shows, and
// flags are the flags of the first CPU.
//
// gopsutil is not used: it reports "docker" for any machine with a trace of Docker, and reads /proc/1/environ, which in
// a container may belong to another user and have any length.
func virtualization(of reader, hypervisor, logged string, flags []string,
	machine *result.Machine) *result.Virtualization {
	system, role := cmp.Or(of.name("sys/hypervisor/type"), hypervisor), "guest"
	if strings.Contains(of("proc/xen/capabilities"), "control_d") {
		system, role = "xen", "host"
	}
	if system = cmp.Or(system, logged, firmwareHypervisor(of, machine)); system == "" {
		system, role = loadedHypervisor(of)
	}
	if slices.Contains(flags, "hypervisor") && (system == "" || role == "host" && system != "xen") {
		system, role = "unknown", "guest" // with the module of a hypervisor it is a guest that may have guests
	}
	if system == "" {
		return nil
	}
	return &result.Virtualization{System: system, Role: role}
}

// modules are kernel modules of hypervisors and of their guests.
var modules = map[string]result.Virtualization{
	"kvm": {System: "kvm", Role: "host"}, "hv_utils": {System: "hyperv", Role: "guest"},
	"vboxdrv": {System: "virtualbox", Role: "host"}, "vboxguest": {System: "virtualbox", Role: "guest"},
	"vmw_balloon": {System: "vmware", Role: "guest"},
}

// loadedHypervisor returns the hypervisor whose module is the first in /proc/modules,
// or "".
func loadedHypervisor(of reader) (system, role string) {
	for line := range strings.Lines(of("proc/modules")) {
		name, _, _ := strings.Cut(line, " ")
		if found, ok := modules[name]; ok {
			return found.System, found.Role
		}
	}
	return "", ""
}

// treeHypervisors are hypervisors by what a device tree names as compatible: the node of the hypervisor, then the
// machine. QEMU's machines are virt (arm64, riscv64) and pseries (ppc64le).
var treeHypervisors = []struct{ file, compatible, system string }{
	{"proc/device-tree/hypervisor/compatible", "linux,kvm", "kvm"},
	{"proc/device-tree/hypervisor/compatible", "xen", "xen"},
	{"proc/device-tree/compatible", "linux,dummy-virt", "qemu"},
	{"proc/device-tree/compatible", "riscv-virtio", "qemu"},
	{"proc/device-tree/compatible", "qemu,", "qemu"},
}

// firmwareHypervisor returns the hypervisor from the DMI tables, the device tree, or what s390x stores about the system
// (STSI). Only x86 CPUs report a hypervisor; "" if unknown.
func firmwareHypervisor(of reader, machine *result.Machine) string {
	for _, tree := range treeHypervisors {
		if strings.Contains(of(tree.file), tree.compatible) {
			return tree.system
		}
	}
	if _, program, guest := strings.Cut(of("proc/sysinfo"), "VM00 Control Program:"); guest {
		if strings.HasPrefix(strings.TrimSpace(program), "KVM") {
			return "kvm" // also of QEMU without KVM
		}
		return "zvm"
	}
	if machine == nil {
		return ""
	}
	return kernellog.OfFirmware(machine.Vendor + " " + machine.Product)
}

// firecrackerOEM is the OEM id of the ACPI tables of Firecracker guests. The CPU reports only
// KVM to them.
const firecrackerOEM = "FIRECK"

// acpiTables are tables that every Firecracker guest has. Only root may read them.
var acpiTables = []string{"APIC", "DSDT", "FACP"}

// firecracker reports whether a KVM guest has the ACPI tables of Firecracker.
func firecracker(of reader) bool {
	return slices.ContainsFunc(acpiTables, func(table string) bool {
		return tableOEM(of("sys/firmware/acpi/tables/"+table)) == firecrackerOEM
	})
}

// tableOEM returns the OEM id in the header of an ACPI table, bytes 10 to 15 (ACPI
// specification 6.5, table 5.4); "" if there is no header.
func tableOEM(table string) string {
	if len(table) < 36 {
		return ""
	}
	return table[10:16]
}
