package terminal

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// load is the file with the number of threads that run or wait for a CPU now; proc_loadavg(5).
const load = "/proc/loadavg"

// busy returns how much longer than announced a run may take, and why, if more threads of the machine want a CPU than
// this process has CPUs; "" otherwise. slowest is its longest time; 0 if that is not known.
func busy(path string, slowest time.Duration) string {
	text, err := os.ReadFile(path)
	var minutes [3]float64
	var running int
	if _, scanned := fmt.Sscanf(string(text), "%f %f %f %d/", &minutes[0], &minutes[1], &minutes[2], &running); err != nil || scanned != nil {
		return ""
	}
	others, cpus := running-1, runtime.NumCPU()
	if others <= cpus {
		return ""
	}
	longer := ", or longer"
	if slowest > 0 {
		longer = fmt.Sprintf(" to %s", RoundUp(slowest))
	}
	if cpus == 1 {
		return fmt.Sprintf("%s: %d other threads want the CPU", longer, others)
	}
	return fmt.Sprintf("%s: %d other threads want the %d CPUs", longer, others, cpus)
}
