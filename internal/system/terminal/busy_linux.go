package terminal

import (
	"fmt"
	"os"
	"runtime"
)

// load is the file with the number of threads that run or wait for a CPU now; proc_loadavg(5).
const load = "/proc/loadavg"

// busy returns why a run may take longer than announced, if more threads of the machine want a CPU than this process
// has CPUs; "" otherwise.
func busy(path string) string {
	text, err := os.ReadFile(path)
	var minutes [3]float64
	var running int
	if _, scanned := fmt.Sscanf(string(text), "%f %f %f %d/", &minutes[0], &minutes[1], &minutes[2], &running); err != nil || scanned != nil {
		return ""
	}
	others, cpus := running-1, runtime.NumCPU()
	switch {
	case others <= cpus:
		return ""
	case cpus == 1:
		return fmt.Sprintf(", or longer: %d other threads want the CPU", others)
	}
	return fmt.Sprintf(", or longer: %d other threads want the %d CPUs", others, cpus)
}
