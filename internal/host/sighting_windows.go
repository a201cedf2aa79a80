package host

import (
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/thread"
	"golang.org/x/sys/windows"
)

// WallGranularity is how far apart two readings of the wall clock and of the
// monotonic clock may lie on a machine where nothing is wrong: each, as time.Now
// reads it, steps by up to 15.6 ms.
const WallGranularity = 40 * time.Millisecond

// endedNS is the CPU time of children that ended, which Windows does not add up.
var endedNS atomic.Int64

// CountChild takes the CPU time of a child that ended; nil of one that never began.
func CountChild(child *os.ProcessState) {
	if child != nil {
		endedNS.Add(int64(child.UserTime() + child.SystemTime()))
	}
}

// See returns what has happened up to now, from GetSystemTimes and GetProcessTimes.
func See() Sighting {
	s := Sighting{At: time.Now()}
	// GetSystemTimes tells of all CPUs of one processor group.
	if thread.Groups() > 1 || len(thread.Usable()) < runtime.NumCPU() {
		return s
	}
	// Kernel time is with idle time in it.
	times := new([3]windows.Filetime) // idle, kernel, user
	ok, _, _ := getSystemTimes.Call(uintptr(unsafe.Pointer(&times[0])), uintptr(unsafe.Pointer(&times[1])), uintptr(unsafe.Pointer(&times[2])))
	if ok != 0 {
		s.CPUs = map[int]CPUTime{0: {BusySeconds: seconds(times[1]) + seconds(times[2]) - seconds(times[0])}}
	}
	var creation, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &creation, &exit, &kernel, &user) == nil {
		s.OwnSeconds = seconds(kernel) + seconds(user) + float64(endedNS.Load())/1e9
	}
	return s
}

// seconds is the span of a FILETIME, which counts 100 ns.
func seconds(span windows.Filetime) float64 {
	return float64(int64(span.HighDateTime)<<32|int64(span.LowDateTime)) / 1e7
}

// CurrentClockSource returns no clock source: only Linux names one.
func CurrentClockSource() string { return "" }
