package host

import (
	"os"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/sysfs"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/timebench/timebench/internal/result"
)

// addSystemFacts adds what only Linux tells.
func addSystemFacts(facts *result.Host) {
	addNames(facts)
	addCPUInfo(&facts.CPU)
	facts.CPU.Quota, facts.CPU.QuotaPeriodNS = quota("/")
	facts.Virtualization = virtualization()
	facts.Container = container()
	facts.ClockSource = clockSource()
}

// addCPUInfo adds what /proc/cpuinfo knows. The kernel sets nonstop_tsc from
// the CPU's invariant TSC bit (CPUID 80000007H, EDX bit 8), in
// arch/x86/kernel/cpu/intel.c and amd.c, and constant_tsc with it.
func addCPUInfo(facts *result.CPU) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return
	}
	infos, err := fs.CPUInfo()
	if err != nil || len(infos) == 0 {
		return
	}
	packages := map[string]bool{}
	for _, info := range infos {
		packages[info.PhysicalID] = true
	}
	facts.Packages = len(packages)
	if flags := infos[0].Flags; slices.Contains(flags, "tsc") {
		invariant := slices.Contains(flags, "constant_tsc") && slices.Contains(flags, "nonstop_tsc")
		facts.InvariantTSC = &invariant
	}
}

func clockSource() *result.ClockSource {
	fs, err := sysfs.NewDefaultFS()
	if err != nil {
		return nil
	}
	sources, err := fs.ClockSources()
	if err != nil || len(sources) == 0 {
		return nil
	}
	return &result.ClockSource{Current: sources[0].Current, Available: sources[0].Available}
}

// virtualization asks the CPU first, then Xen's own file (a paravirtual guest's
// CPU may not tell), then gopsutil, whose containers are not hypervisors: it
// calls any machine with a trace of Docker "docker".
func virtualization() *result.Virtualization {
	system, role := cpuHypervisor(), "guest"
	if kind, err := os.ReadFile("/sys/hypervisor/type"); err == nil && system == "" {
		system = strings.TrimSpace(string(kind))
	}
	if privileges, err := os.ReadFile("/proc/xen/capabilities"); err == nil && strings.Contains(string(privileges), "control_d") {
		system, role = "xen", "host"
	}
	if system == "" && emulated() {
		system = "qemu"
	}
	if system == "" {
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

// emulated reports whether the firmware says that the machine is QEMU's: its name
// in the DMI tables, or the machine "virt" of its device trees. Arm CPUs have no
// leaf that would tell.
func emulated() bool {
	vendor, _ := os.ReadFile("/sys/class/dmi/id/sys_vendor")
	compatible, _ := os.ReadFile("/proc/device-tree/compatible")
	return strings.TrimSpace(string(vendor)) == "QEMU" || strings.Contains(string(compatible), "linux,dummy-virt")
}

// initialPIDNamespace is the namespace of the machine itself: PROC_PID_INIT_INO
// of the kernel's include/linux/proc_ns.h.
const initialPIDNamespace = "pid:[4026531836]"

// container names what confines this process. The files that container engines
// leave also lie in images that were made into machines, so they count only in
// a PID namespace of its own.
func container() string {
	if namespace, err := os.Readlink("/proc/self/ns/pid"); err != nil || namespace == initialPIDNamespace {
		return ""
	}
	if name, err := os.ReadFile("/run/systemd/container"); err == nil {
		return strings.TrimSpace(string(name))
	}
	for _, mark := range []struct{ file, name string }{{"/run/.containerenv", "podman"}, {"/.dockerenv", "docker"}} {
		if _, err := os.Stat(mark.file); err == nil {
			return mark.name
		}
	}
	return ""
}
