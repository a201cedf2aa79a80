package host

import (
	"os"
	"slices"
	"time"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/debuglog"
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
	if s.CPUs = cpuTimes(stat.CPU, thread.Usable()); len(s.CPUs) == 0 {
		debuglog.Printf("load", "not known: /proc/stat has no usable CPU")
	}
	return s
}

// cpuTimes returns the times of the usable CPUs from the lines of /proc/stat, by the numbers of the lines. In a
// container lxcfs numbers the lines of its CPUs from 0: then the lines are as many as the usable CPUs.
func cpuTimes(lines map[int64]procfs.CPUStat, usable []int) map[int]CPUTime {
	times := map[int]CPUTime{}
	for number, t := range lines {
		if len(lines) == len(usable) || slices.Contains(usable, int(number)) {
			// User includes guest time (proc_stat(5)). An offline CPU has no line.
			times[int(number)] = CPUTime{t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ, t.Steal}
		}
	}
	return times
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
