package host

import (
	"os"
	"path/filepath"
	"slices"
)

// governors returns the policies that choose the CPUs' frequency, each once and
// sorted; none where the system does not choose it, as in most virtual machines.
// procfs would read all that cpufreq tells of each CPU, of which some takes
// milliseconds.
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
