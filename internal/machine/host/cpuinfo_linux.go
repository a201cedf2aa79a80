package host

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// tscFlags are the flags of /proc/cpuinfo that concern the time stamp counter, in the order of
// the document (arch/x86/include/asm/cpufeatures.h).
var tscFlags = []string{
	"constant_tsc", "nonstop_tsc", "tsc_reliable", "tsc_known_freq", "tsc_adjust", "rdtscp", "tsc_deadline_timer", "art",
}

// armParts are the names of CPUs of Arm Ltd. by their part number, because /proc/cpuinfo lacks the name
// (arch/arm64/include/asm/cputype.h).
var armParts = map[string]string{
	"0xc07": "Cortex-A7", "0xc09": "Cortex-A9", "0xc0f": "Cortex-A15", "0xd03": "Cortex-A53", "0xd04": "Cortex-A35",
	"0xd05": "Cortex-A55", "0xd07": "Cortex-A57", "0xd08": "Cortex-A72", "0xd09": "Cortex-A73",
	"0xd0a": "Cortex-A75", "0xd0b": "Cortex-A76", "0xd0c": "Neoverse-N1", "0xd0d": "Cortex-A77",
	"0xd40": "Neoverse-V1", "0xd41": "Cortex-A78", "0xd42": "Cortex-A78AE", "0xd44": "Cortex-X1",
	"0xd46": "Cortex-A510", "0xd47": "Cortex-A710", "0xd48": "Cortex-X2", "0xd49": "Neoverse-N2",
	"0xd4a": "Neoverse-E1", "0xd4b": "Cortex-A78C", "0xd4c": "Cortex-X1C", "0xd4d": "Cortex-A715",
	"0xd4e": "Cortex-X3", "0xd4f": "Neoverse-V2", "0xd80": "Cortex-A520", "0xd81": "Cortex-A720",
	"0xd82": "Cortex-X4", "0xd84": "Neoverse-V3", "0xd85": "Cortex-X925", "0xd87": "Cortex-A725",
	"0xd8e": "Neoverse-N3",
}

// addCPUInfo adds the facts in the text of /proc/cpuinfo, and returns the flags of the first CPU.
// The kernel sets nonstop_tsc from the CPU's invariant TSC bit (CPUID 80000007H, EDX
// bit 8), in arch/x86/kernel/cpu/intel.c and amd.c, and constant_tsc with it.
func addCPUInfo(facts *result.CPU, text string) []string {
	first := map[string]string{} // the values of the first CPU, and those before it
	logical, packages := 0, map[string]bool{}
	cores := map[string]int{} // by package
	of := ""                  // the package of the CPU that is read
	armLimited := false       // who designed the CPU that is read
	var parts []string        // the kinds of cores of Arm Ltd., such as the two of big.LITTLE
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch number, err := strconv.ParseUint(value, 10, 31); {
		case (key == "processor" || key == "cpu number") && err == nil: // the latter on s390x
			logical++
			of = ""
		case key == "physical id":
			of = value
			packages[of] = true
		case key == "cpu cores" && err == nil && of != "":
			cores[of] = int(number)
		case key == "CPU implementer":
			armLimited = value == "0x41"
		case key == "CPU part" && armLimited:
			if !slices.Contains(parts, value) {
				parts = append(parts, value)
			}
		}
		if _, is := first[key]; !is && logical <= 1 {
			first[key] = value
		}
	}
	if logical == 0 {
		return nil
	}
	facts.Logical, facts.Usable, facts.Packages = logical, logical, len(packages)
	for _, n := range cores {
		facts.Physical += n
	}
	facts.Model = cmp.Or(printable(armModel(parts)), printable(modelOf(first)))
	flags := strings.Fields(first["flags"])
	if len(flags) == 0 {
		flags = strings.Fields(first["Features"]) // Arm
	}
	if slices.Contains(flags, "tsc") {
		invariant := slices.Contains(flags, "constant_tsc") && slices.Contains(flags, "nonstop_tsc")
		facts.InvariantTSC = &invariant
		for _, flag := range tscFlags {
			if slices.Contains(flags, flag) {
				facts.TSCFlags = append(facts.TSCFlags, flag)
			}
		}
	}
	return flags
}

// armModel returns the names of the kinds of cores of a CPU of Arm Ltd., and an unknown kind beside known ones by its
// number; "" if all are unknown.
func armModel(parts []string) string {
	known := false
	var names []string
	for _, part := range parts {
		name := armParts[part]
		known = known || name != ""
		names = append(names, cmp.Or(name, "part "+part))
	}
	if !known {
		return ""
	}
	return strings.Join(names, " + ")
}

// modelOf returns the name of a CPU from the values of its paragraph.
func modelOf(values map[string]string) string {
	// x86, LoongArch, POWER, RISC-V, old Arm
	for _, key := range []string{"model name", "Model Name", "cpu", "uarch", "Processor"} {
		if values[key] != "" {
			return values[key]
		}
	}
	if strings.Contains(values["vendor_id"], "S390") {
		return "S390"
	}
	return ""
}

// coresInSysfs returns the number of CPU cores below a root; 0 if it is unknown.
func coresInSysfs(root string) int {
	return cmp.Or(inTopology(root, "core_cpus_list"), inTopology(root, "thread_siblings_list")) // the latter before Linux 5.3
}

// packagesInSysfs returns the number of sockets below a root; 0 if it is unknown. Before Linux 6.0 a board with a
// device tree numbers clusters of cores instead (parse_cluster in drivers/base/arch_topology.c), and a kernel that does
// not know the socket of a CPU writes -1.
func packagesInSysfs(root, kernel string) int {
	if _, err := os.Stat(filepath.Join(root, "sys/firmware/devicetree")); err == nil && kernellog.Older(kernel, 6, 0) {
		return 0
	}
	return inTopology(root, "physical_package_id")
}

// inTopology returns the number of known values of a file in the topology of the CPUs below a root.
func inTopology(root, name string) int {
	values := map[string]bool{"": true, "-1": true}
	paths, _ := filepath.Glob(filepath.Join(root, "sys/devices/system/cpu/cpu[0-9]*/topology", name))
	for _, path := range paths {
		values[readFile(filepath.Dir(path), name)] = true
	}
	return len(values) - 2
}
