//go:build amd64 || arm64

package native

import (
	"runtime"
	"unsafe"
)

// CallIDBuffer calls the C function at address fn n times as fn(id, buffer), n ≥ 1, and returns the
// result of the last call. It advances buffer as CallBuffer does.
func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// The functions of libSystem, the C library of macOS. The dynamic linker finds them when the program starts, without
// cgo, as for golang.org/x/sys/unix. Each address points to a jump to the function, which is part of the cost of a
// read.
//
//go:cgo_import_dynamic timebench_clock_gettime clock_gettime "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_clock_gettime_nsec_np clock_gettime_nsec_np "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_clock_getres clock_getres "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_gettimeofday gettimeofday "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_mach_absolute_time mach_absolute_time "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_mach_continuous_time mach_continuous_time "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_mach_timebase_info mach_timebase_info "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_mach_wait_until mach_wait_until "/usr/lib/libSystem.B.dylib"
//go:cgo_import_dynamic timebench_nanosleep nanosleep "/usr/lib/libSystem.B.dylib"

// The addresses of the functions.
var (
	LibClockGettime       uintptr // clock_gettime(3)
	LibClockGettimeNsecNP uintptr // clock_gettime_nsec_np(3)
	LibClockGetres        uintptr // clock_getres(3)
	LibGettimeofday       uintptr // gettimeofday(2)
	LibMachAbsoluteTime   uintptr // mach_absolute_time
	LibMachContinuousTime uintptr // mach_continuous_time
	LibMachTimebaseInfo   uintptr // mach_timebase_info
	LibMachWaitUntil      uintptr // mach_wait_until
	LibNanosleep          uintptr // nanosleep(2)
)

// MachTimebase returns the fraction by which ticks of mach_absolute_time are multiplied to get nanoseconds. It is 1/1
// if mach_timebase_info fails.
func MachTimebase() (numerator, denominator uint32) {
	fraction := new([2]uint32)
	CallBuffer(LibMachTimebaseInfo, unsafe.Pointer(fraction), 0, 1)
	runtime.KeepAlive(fraction)
	return max(fraction[0], 1), max(fraction[1], 1)
}
