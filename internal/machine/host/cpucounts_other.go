//go:build !linux && !freebsd && !netbsd && !openbsd

package host

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
)

// cpuCounts returns the numbers of logical CPUs and of cores; 0 cores if unknown.
func cpuCounts() (logical, cores int) {
	logical = runtime.NumCPU()
	if n, err := cpu.Counts(true); err == nil && n > 0 {
		logical = n
	}
	cores, _ = cpu.Counts(false) // 0 with an error
	return logical, cores
}
