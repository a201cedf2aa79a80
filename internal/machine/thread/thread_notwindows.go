//go:build !windows

package thread

func firstCPUs(n int) []int {
	cpus := make([]int, n)
	for i := range cpus {
		cpus[i] = i
	}
	return cpus
}

// disperse does nothing: these systems spread busy threads over all CPUs themselves.
func disperse(int) {}
