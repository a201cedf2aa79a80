package host

import (
	"os"
	"time"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/machine/thread"
	"golang.org/x/sys/unix"
)

// WallGranularity is how much two readings of the wall clock and of the monotonic clock may
// differ on a machine without problems.
const WallGranularity = time.Millisecond

// See returns the counters from /proc/stat, getrusage(2) and cpu.stat of the control groups.
func See() Sighting {
	s := Sighting{At: time.Now(), OwnSeconds: OwnSeconds(), Throttled: throttled(live)}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return s
	}
	stat, err := fs.Stat()
	if err != nil {
		return s
	}
	s.CPUs = map[int]CPUTime{}
	for _, cpu := range thread.Usable() {
		// User includes guest time (proc_stat(5)). An offline CPU has no line.
		if t, ok := stat.CPU[int64(cpu)]; ok {
			s.CPUs[cpu] = CPUTime{t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ, t.Steal}
		}
	}
	return s
}

// OwnSeconds returns the CPU time of this process and of its ended children, in seconds.
func OwnSeconds() float64 {
	sum := 0.0
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var usage unix.Rusage
		if unix.Getrusage(who, &usage) == nil {
			sum += float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
		}
	}
	return sum
}

// CountChild does nothing: getrusage counts ended children.
func CountChild(*os.ProcessState) {}

// CurrentClockSource returns the clock source in use; "" if it cannot be read.
func CurrentClockSource() string {
	if source := clockSource(below(live)); source != nil {
		return source.Current
	}
	return ""
}
