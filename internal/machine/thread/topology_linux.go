package thread

import (
	"strconv"

	"github.com/prometheus/procfs/sysfs"
)

// Topology returns the CPUs that this process may use, by number, with package and core from
// /sys/devices/system/cpu/cpu*/topology. If that is not readable, each CPU is a core of the same package.
func Topology() []CPU {
	cpus := flat(Usable())
	fs, err := sysfs.NewDefaultFS()
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
			return flat(Usable())
		}
		// Arm and riscv kernels report -1 if the firmware does not have it.
		cpus[i].Package, _ = strconv.Atoi(topology.PhysicalPackageID)
		cpus[i].Core, _ = strconv.Atoi(topology.CoreID)
	}
	return cpus
}
