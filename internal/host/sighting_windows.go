package host

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// WallGranularity is how far apart two readings of the wall clock and of the
// monotonic clock may lie on a machine where nothing is wrong: each, as time.Now
// reads it, steps by up to 15.6 ms.
const WallGranularity = 40 * time.Millisecond

// See returns what has happened up to now, from GetSystemTimes and GetProcessTimes.
func See() Sighting {
	s := Sighting{At: time.Now()}
	// Kernel time is with idle time in it.
	times := new([3]windows.Filetime) // idle, kernel, user
	ok, _, _ := getSystemTimes.Call(uintptr(unsafe.Pointer(&times[0])), uintptr(unsafe.Pointer(&times[1])), uintptr(unsafe.Pointer(&times[2])))
	if ok != 0 {
		s.BusySeconds = seconds(times[1]) + seconds(times[2]) - seconds(times[0])
	}
	var creation, exit, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &creation, &exit, &kernel, &user) == nil {
		s.OwnSeconds = seconds(kernel) + seconds(user)
	}
	return s
}

// seconds is the span of a FILETIME, which counts 100 ns.
func seconds(span windows.Filetime) float64 {
	return float64(int64(span.HighDateTime)<<32|int64(span.LowDateTime)) / 1e7
}

// CurrentClockSource returns no clock source: only Linux names one.
func CurrentClockSource() string { return "" }
