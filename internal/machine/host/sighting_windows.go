package host

import (
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/thread"
	"golang.org/x/sys/windows"
)

// WallGranularity is how much two readings of the wall clock and of the monotonic clock may
// differ on a machine without problems: each, as time.Now
// reads it, steps by up to 15.6 ms.
const WallGranularity = 40 * time.Millisecond

// endedNS is the CPU time of ended children, which Windows does not sum.
var endedNS atomic.Int64

// CountChild adds the CPU time of an ended child; nil is a child that never started.
func CountChild(child *os.ProcessState) {
	if child != nil {
		endedNS.Add(int64(child.UserTime() + child.SystemTime()))
	}
}

// See returns the counters from GetSystemTimes and GetProcessTimes.
func See() Sighting {
	s := Sighting{At: time.Now()}
	// GetSystemTimes covers a single processor group, and all of its CPUs. runtime.NumCPU has only the usable ones.
	if thread.Groups() > 1 || len(thread.Usable()) < int(windows.GetActiveProcessorCount(0)) {
		return s
	}
	// Kernel time includes idle time.
	times := new([3]windows.Filetime) // idle, kernel, user
	ok, _, _ := getSystemTimes.Call(uintptr(unsafe.Pointer(&times[0])), uintptr(unsafe.Pointer(&times[1])),
		uintptr(unsafe.Pointer(&times[2])))
	if ok != 0 {
		s.CPUs = map[int]CPUTime{0: {BusySeconds: seconds(times[1]) + seconds(times[2]) - seconds(times[0])}}
	}
	var creation, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &creation, &exit, &kernel, &user) == nil {
		s.OwnSeconds = seconds(kernel) + seconds(user) + float64(endedNS.Load())/1e9
	}
	return s
}

func seconds(span windows.Filetime) float64 {
	return float64(int64(span.HighDateTime)<<32|int64(span.LowDateTime)) / 1e7
}

// CurrentClockSource returns "": only Linux has names for clock sources.
func CurrentClockSource() string { return "" }
