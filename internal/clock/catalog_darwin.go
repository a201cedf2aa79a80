//go:build amd64 || arm64

package clock

import (
	"strings"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

// systemClocks returns the functions of libSystem that return the time: clock_gettime and clock_gettime_nsec_np of
// every clock, gettimeofday, and the two counters of Mach.
func systemClocks() []Clock {
	all := []Clock{
		{
			ID: "gettimeofday@libc", Call: "gettimeofday()", Path: Libc, Kind: Wall, Hz: 1e6, ReportedNS: notReported,
			Open: func() (Reader, error) {
				return openStoring(1e6, func(buffer unsafe.Pointer, step uintptr, n int) int {
					return native.CallBuffer(native.LibGettimeofday, buffer, step, n)
				}, func() error { return unix.Gettimeofday(new(unix.Timeval)) })
			},
		},
		mach("mach_absolute_time", native.LibMachAbsoluteTime),
		mach("mach_continuous_time", native.LibMachContinuousTime),
	}
	for _, c := range clockIDs {
		coarse, perThread := strings.HasSuffix(c.name, "_APPROX"), c.name == "CLOCK_THREAD_CPUTIME_ID"
		id, resolution := uintptr(c.id), func() float64 { return resolutionNS(c.id) }
		all = append(all, Clock{
			ID: c.name + "@libc", Call: "clock_gettime(" + c.name + "), from " + derivedFrom[c.name], Path: Libc,
			Kind: c.kind, Hz: 1e9,
			ReportedNS: resolution, Coarse: coarse, PerThread: perThread,
			Open: func() (Reader, error) {
				reader, err := openStoring(1e9, func(buffer unsafe.Pointer, step uintptr, n int) int {
					return native.CallIDBuffer(native.LibClockGettime, id, buffer, step, n)
				}, func() error { return unix.ClockGettime(c.id, new(unix.Timespec)) })
				return reader, c.because(err)
			},
		}, Clock{
			ID: c.name + "_NSEC@libc", Call: "clock_gettime_nsec_np(" + c.name + "), from " + derivedFrom[c.name],
			Path: Libc, Kind: c.kind, Hz: 1e9,
			ReportedNS: resolution, Coarse: coarse, PerThread: perThread,
			Open: func() (Reader, error) { return openReturning(native.LibClockGettimeNsecNP, id) },
		})
	}
	return all
}

// mach returns a counter of Mach, in its own ticks.
func mach(name string, fn uintptr) Clock {
	return Clock{
		ID: name + "@libc", Call: name + "()", Path: Libc, Kind: Monotonic, Hz: machHz(),
		ReportedNS: func() float64 { return 1e9 / machHz() },
		Open:       func() (Reader, error) { return openReturning(fn, 0) },
	}
}

// machHz returns the ticks per second of mach_absolute_time.
func machHz() float64 {
	numerator, denominator := native.MachTimebase()
	return 1e9 * float64(denominator) / float64(numerator)
}

// resolutionNS returns the resolution of a clock from clock_getres(3), in nanoseconds; 0 if it fails.
func resolutionNS(id int32) float64 {
	resolution := new(unix.Timespec)
	failed := native.CallIDBuffer(native.LibClockGetres, uintptr(id), unsafe.Pointer(resolution), 0, 1)
	if int32(failed) != 0 {
		return 0
	}
	return float64(resolution.Nano())
}
