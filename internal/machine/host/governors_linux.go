package host

import (
	"os"
	"path/filepath"
	"slices"
)

// governors returns the cpufreq governors of the CPUs, each once and sorted; none if the
// system has no cpufreq, as most virtual machines. It does not use procfs, which reads all
// files of cpufreq, some of which take milliseconds.
func governors(root string) []string {
	cpus := filepath.Join(root, "sys/devices/system/cpu")
	entries, _ := os.ReadDir(cpus)
	var found []string
	for _, entry := range entries {
		name := readName(filepath.Join(cpus, entry.Name()), "cpufreq/scaling_governor")
		if name != "" && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}
