package thread

import (
	"slices"
	"strconv"

	"github.com/prometheus/procfs/sysfs"
)

// Topology returns the CPUs that this process may use, by number, with package and core from
// /sys/devices/system/cpu/cpu*/topology. If that is not readable, each CPU is a core of the same package.
func Topology() []CPU { return topologyIn(sysfs.DefaultMountPoint, Usable()) }

func topologyIn(mount string, usable []int) []CPU {
	cpus := flat(usable)
	fs, err := sysfs.NewFS(mount)
	if err != nil {
		return cpus
	}
	known, err := fs.CPUs()
	if err != nil {
		return cpus
	}
	byNumber := make(map[string]sysfs.CPU, len(known))
	for _, cpu := range known {
		byNumber[cpu.Number()] = cpu
	}
	for i, cpu := range cpus {
		topology, err := byNumber[strconv.Itoa(cpu.ID)].Topology()
		if err != nil {
			return flat(usable)
		}
		// Arm and riscv kernels report -1 if the firmware does not have it.
		cpus[i].Package, _ = strconv.Atoi(topology.PhysicalPackageID)
		// core_id is not unique: on boards with a device tree it begins anew in each cluster of the package.
		if siblings, err := ParseCPUs(topology.ThreadSiblingsList); err == nil {
			cpus[i].Core = slices.Min(siblings)
		}
	}
	return cpus
}
