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
	for _, way := range ways {
		for _, c := range clockIDs {
			if way.path == VDSO && c.kernelOnly {
				continue
			}
			all = append(all, way.clock(c))
		}
		all = append(all,
			Clock{ID: "gettimeofday@" + string(way.path), Call: "gettimeofday()", Path: way.path, Kind: Wall, Hz: 1e6,
				ReportedNS: notReported, OtherPath: way.otherPath("gettimeofday"), Open: way.gettimeofday,
				probe: way.probe(noID, "gettimeofday")},
			Clock{ID: "time@" + string(way.path), Call: "time()", Path: way.path, Kind: Wall, Hz: 1,
				// No other path: time(2) reads the seconds of the kernel without a lock. They may change a moment later
				// than the vDSO's seconds.
				ReportedNS: notReported, Coarse: true, Open: way.time, probe: way.probe(noID, "time")})
	}
	return append(append(all, threadUsage, hpetClock()), ptpClocks()...)
}

// clock returns a clock of clock_gettime(2) on the way's path.
func (w way) clock(c clockID) Clock {
	return Clock{
		ID: c.name + "@" + string(w.path), Call: "clock_gettime(" + c.name + ")", Path: w.path, Kind: c.kind, Hz: 1e9,
		ReportedNS: func() float64 { return clockGetres(c.id) },
		OtherPath:  w.otherPath(c.name), Coarse: isCoarse(c.id), PerThread: c.id == unix.CLOCK_THREAD_CPUTIME_ID ||
			c.id == threadUserTime,
		PathResolutionNS: w.clockGetres(c.id),
		Open: func() (Reader, error) {
			reader, err := w.clockGettime(c.id)
			return reader, c.because(err)
		},
		probe: w.probe(int(c.id), "clock_gettime64", "clock_gettime"),
	}
}

// threadUsage is the user time of the calling thread by getrusage(2).
var threadUsage = Clock{
	ID: "RUSAGE_THREAD@syscall", Call: "getrusage(RUSAGE_THREAD), ru_utime", Path: Syscall, Kind: UserTime, Hz: 1e6,
	ReportedNS: notReported, PerThread: true,
	Open: func() (Reader, error) {
		return opened(clockReader(rusage, func(buffer unsafe.Pointer, step uintptr, n int) int {
			return native.SyscallIDBuffer(unix.SYS_GETRUSAGE, unix.RUSAGE_THREAD, buffer, step, n)
		}))
	},
}

// A way is a path, with its functions that open each call.
type way struct {
	path         Path
	clockGettime func(id int32) (Reader, error)
	gettimeofday func() (Reader, error)
	time         func() (Reader, error)
}

// ways are the two paths of the same calls: the vDSO and the system call.
var ways = []way{
	{
		path: VDSO,
		clockGettime: func(id int32) (Reader, error) {
			return firstOpen(func(g gettime) (Reader, error) {
				return openVDSO(g.function, func(fn uintptr) *callReader {
					return clockReader(g.format, func(buffer unsafe.Pointer, step uintptr, n int) int {
						return native.CallIDBuffer(fn, uintptr(id), buffer, step, n)
					})
				})
			})
		},
		gettimeofday: func() (Reader, error) {
			return openVDSO("gettimeofday", func(fn uintptr) *callReader {
				return clockReader(timeval, vdsoCall(fn))
			})
		},
		time: func() (Reader, error) {
			return openVDSO("time", func(fn uintptr) *callReader {
				return timeReader(vdsoCall(fn))
			})
		},
	},
	{
		path: Syscall,
		clockGettime: func(id int32) (Reader, error) {
			return firstOpen(func(g gettime) (Reader, error) { return openSyscall(g, id) })
		},
		gettimeofday: func() (Reader, error) {
			return opened(clockReader(timeval, syscallCall(unix.SYS_GETTIMEOFDAY)))
		},
		time: func() (Reader, error) {
			if native.SysTime == native.NoSyscall {
				return nil, errors.New(runtime.GOARCH + " has no such system call; libc uses gettimeofday")
			}
			return opened(timeReader(syscallCall(native.SysTime)))
		},
	},
}

// A gettime is a form of clock_gettime(2).
type gettime struct {
	nr       uintptr // of the system call
	function string  // of the vDSO
	format   format
}

// gettimes are the forms that this CPU has. A C library of a 32-bit CPU prefers the form with times of 64 bits, and
// uses the older form if the newer is refused: Linux before 5.1 lacks it, and old seccomp filters answer it with EPERM.
var gettimes = func() []gettime {
	if native.SysClockGettime32 == native.NoSyscall {
		return []gettime{{native.SysClockGettime, "clock_gettime", timespec}}
	}
	return []gettime{
		{native.SysClockGettime, "clock_gettime64", timespec}, {native.SysClockGettime32, "clock_gettime", timespec32},
	}
}()

// firstOpen returns the first form that opens, or the error of the first.
func firstOpen(open func(gettime) (Reader, error)) (Reader, error) {
	var first error
	for _, form := range gettimes {
		reader, err := open(form)
		if err == nil {
			return reader, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

func openSyscall(g gettime, id int32) (Reader, error) {
	return opened(clockReader(g.format, func(buffer unsafe.Pointer, step uintptr, n int) int {
		return native.SyscallIDBuffer(g.nr, uintptr(id), buffer, step, n)
	}))
}

// otherPath returns the id of the same call as a system call; "" for a system call.
func (w way) otherPath(name string) string {
	if w.path != VDSO {
		return ""
	}
	return name + "@" + string(Syscall)
}

// clockGetres returns a function that calls clock_getres(2) on the way's own path. It returns
// nanoseconds, and 0 if the vDSO has no such function.
func (w way) clockGetres(id int32) func() float64 {
	if w.path != VDSO {
		return func() float64 { return clockGetres(id) }
	}
	return func() float64 {
		fn, err := lookup("clock_getres")
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
}

func isCoarse(id int32) bool {
	return id == unix.CLOCK_REALTIME_COARSE || id == unix.CLOCK_MONOTONIC_COARSE
}

// noID is the id of functions without a clock id.
const noID = -1

// probe returns a function that finds the first of these vDSO functions and returns a read by it; nil on another path.
func (w way) probe(id int, names ...string) func() (entry.Read, error) {
	if w.path != VDSO {
		return nil
	}
	return func() (entry.Read, error) {
		fn, err := lookup(names[0])
		for _, name := range names[1:] {
			if err != nil {
				fn, err = lookup(name)
			}
		}
		if err != nil {
			return nil, err
		}
		return func(buffer unsafe.Pointer, n int) int {
			if id == noID {
				return native.CallBuffer(fn, buffer, 0, n)
			}
			return native.CallIDBuffer(fn, uintptr(id), buffer, 0, n)
		}, nil
	}
}

// vdsoCall returns the C function at fn as a call with the arguments (buffer, NULL).
func vdsoCall(fn uintptr) nativeCall {
	return func(buffer unsafe.Pointer, step uintptr, n int) int {
		return native.CallBuffer(fn, buffer, step, n)
	}
}

// syscallCall returns a system call with the arguments (buffer, NULL).
func syscallCall(nr uintptr) nativeCall {
	return func(buffer unsafe.Pointer, step uintptr, n int) int {
		return native.SyscallBuffer(nr, buffer, step, n)
	}
}

// lookup returns the address of the vDSO function for a call, where this build can call it.
func lookup(call string) (uintptr, error) {
	if !native.CanCall {
		return 0, errNoCalls
	}
	return vdso.Lookup(call)
}

func openVDSO(call string, reader func(fn uintptr) *callReader) (Reader, error) {
	fn, err := lookup(call)
	if err != nil {
		return nil, err
	}
	return opened(reader(fn))
}

// opened makes the first read, which fails if the clock is not available.
func opened(r *callReader) (Reader, error) {
	r.Spin(1)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// clockGetres returns clock_getres(2) in nanoseconds; 0 if it fails.
func clockGetres(id int32) float64 {
	var resolution unix.Timespec
	if err := unix.ClockGetres(id, &resolution); err != nil {
		return 0
	}
	return float64(resolution.Nano())
}
