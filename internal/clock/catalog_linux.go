package clock

import (
	"cmp"
	"errors"
	"runtime"
	"unsafe"

	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/machine/native"
	"golang.org/x/sys/unix"
)

func systemClocks() []Clock {
	var all []Clock
	for _, path := range []Path{VDSO, Syscall} {
		for _, id := range clockIDs {
			if path == Syscall || !id.kernelOnly {
				all = append(all, id.clock(path))
			}
		}
		time := newClock(path, "time", "time()", Wall, 1, timeOfSeconds)
		// time(2) reads the seconds of the kernel without a lock. They may change a moment later than the vDSO's.
		time.OtherPath, time.Coarse = "", true
		all = append(all, newClock(path, "gettimeofday", "gettimeofday()", Wall, 1e6, gettimeofday), time)
	}
	usage := newClock(Syscall, "RUSAGE_THREAD", "getrusage(RUSAGE_THREAD), ru_utime", UserTime, 1e6, getrusage)
	usage.PerThread = true
	return append(append(all, usage, hpetClock()), ptpClocks()...)
}

func newClock(path Path, name, call string, kind Kind, hz float64, forms []call) Clock {
	c := Clock{
		ID: name + "@" + string(path), Call: call, Path: path, Kind: kind, Hz: hz, ReportedNS: notReported,
		Open: func() (Reader, error) { return open(path, forms) },
	}
	if path == VDSO {
		c.OtherPath = name + "@" + string(Syscall)
		c.probe = func() (entry.Read, error) { return probe(forms) }
	}
	return c
}

func (id clockID) clock(path Path) Clock {
	c := newClock(path, id.name, "clock_gettime("+id.name+")", id.kind, 1e9, clockGettime(id.id))
	c.Coarse = id.id == unix.CLOCK_REALTIME_COARSE || id.id == unix.CLOCK_MONOTONIC_COARSE
	c.PerThread = id.id == unix.CLOCK_THREAD_CPUTIME_ID || id.id == threadUserTime
	c.ReportedNS = func() float64 { return clockGetres(id.id) }
	if c.PathResolutionNS = c.ReportedNS; path == VDSO {
		c.PathResolutionNS = func() float64 { return vdsoClockGetres(id.id) }
	}
	open := c.Open
	c.Open = func() (Reader, error) {
		reader, err := open()
		return reader, id.because(err)
	}
	return c
}

// A call is one form of a call: a function of the vDSO and the same system call.
type call struct {
	function string
	nr       uintptr // of the system call
	id       int     // the first argument; noID if the only one is the buffer
	format   format
}

const noID = -1

var (
	gettimeofday  = []call{{"gettimeofday", unix.SYS_GETTIMEOFDAY, noID, timeval}}
	timeOfSeconds = []call{{"time", native.SysTime, noID, seconds}}
	getrusage     = []call{{"", unix.SYS_GETRUSAGE, unix.RUSAGE_THREAD, rusage}} // of the calling thread
)

// clockGettime returns the forms of clock_gettime(2) that this CPU has. A C library of a 32-bit CPU prefers the form
// with times of 64 bits, and uses the older form if the newer is refused: Linux before 5.1 lacks it, and old seccomp
// filters answer it with EPERM.
func clockGettime(id int32) []call {
	long := call{"clock_gettime", native.SysClockGettime, int(id), timespec}
	if native.SysClockGettime32 == native.NoSyscall {
		return []call{long}
	}
	long.function = "clock_gettime64"
	return []call{long, {"clock_gettime", native.SysClockGettime32, int(id), timespec32}}
}

// open returns a Reader of the first form that opens, or the error of the first.
func open(path Path, forms []call) (Reader, error) {
	var first error
	for _, c := range forms {
		made, err := c.on(path)
		if err == nil {
			var reader Reader
			if reader, err = opened(clockReader(c.format, made)); err == nil {
				return reader, nil
			}
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// probe returns a read by the first form that the vDSO has.
func probe(forms []call) (read entry.Read, err error) {
	for _, c := range forms {
		var made nativeCall
		if made, err = c.on(VDSO); err == nil {
			return func(buffer unsafe.Pointer, n int) int { return made(buffer, 0, n) }, nil
		}
	}
	return nil, err
}

func (c call) on(path Path) (nativeCall, error) {
	id := uintptr(c.id)
	if path == VDSO {
		fn, err := vdso.Lookup(c.function)
		return func(buffer unsafe.Pointer, step uintptr, n int) int {
			if c.id == noID {
				return native.CallBuffer(fn, buffer, step, n)
			}
			return native.CallIDBuffer(fn, id, buffer, step, n)
		}, err
	}
	if c.nr == native.NoSyscall {
		return nil, errors.New(runtime.GOARCH + " has no such system call; libc uses gettimeofday")
	}
	return func(buffer unsafe.Pointer, step uintptr, n int) int {
		if c.id == noID {
			return native.SyscallBuffer(c.nr, buffer, step, n)
		}
		return native.SyscallIDBuffer(c.nr, id, buffer, step, n)
	}, nil
}

// clockGetres returns clock_getres(2) in nanoseconds; 0 if it fails.
func clockGetres(id int32) float64 {
	var resolution unix.Timespec
	if err := unix.ClockGetres(id, &resolution); err != nil {
		return 0
	}
	return float64(resolution.Nano())
}

// vdsoClockGetres returns clock_getres(2) of the vDSO in nanoseconds; 0 if it fails, or if the vDSO has no such
// function.
func vdsoClockGetres(id int32) float64 {
	fn, err := vdso.Lookup("clock_getres")
	if err != nil {
		return 0
	}
	// On the heap, which does not move while the native call writes to it.
	resolution := new([2]int64)
	if failed := native.CallIDBuffer(fn, uintptr(id), unsafe.Pointer(resolution), 0, 1); int32(failed) < 0 {
		return 0
	}
	return float64(format{2, longBytes, 1e9}.at(&resolution[0], 0))
}
