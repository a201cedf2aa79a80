//go:build amd64 || arm64

package clock

import (
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
				ReportedNS: notReported, Twin: way.twin("gettimeofday"), Open: way.gettimeofday, probe: way.probe(vdsoGettimeofday, noID)},
			Clock{ID: "time@" + string(way.path), Call: "time()", Path: way.path, Kind: Wall, Hz: 1,
				// No twin: time(2) reads the seconds of the kernel without a lock. They may change a
				// moment later than those of the vDSO.
				ReportedNS: notReported, Coarse: true, Open: way.time, probe: way.probe(vdsoTime, noID)})
	}
	return append(append(all, hpetClock()), ptpClocks()...)
}

// clock returns a clock of clock_gettime(2) on the way's path.
func (w way) clock(c clockID) Clock {
	return Clock{
		ID: c.name + "@" + string(w.path), Call: "clock_gettime(" + c.name + ")", Path: w.path, Kind: c.kind, Hz: 1e9,
		ReportedNS: func() float64 { return clockGetres(c.id) },
		Twin:       w.twin(c.name), Coarse: isCoarse(c.id), PerThread: c.id == unix.CLOCK_THREAD_CPUTIME_ID,
		PathResolutionNS: w.clockGetres(c.id),
		Open: func() (Reader, error) {
			reader, err := w.clockGettime(c.id)
			return reader, c.because(err)
		},
		probe: w.probe(vdsoClockGettime, int(c.id)),
	}
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
			return openVDSO(vdsoClockGettime, func(fn uintptr) *callReader {
				return clockReader(timespec, func(buffer unsafe.Pointer, step uintptr, n int) int {
					return native.CallIDBuffer(fn, uintptr(id), buffer, step, n)
				})
			})
		},
		gettimeofday: func() (Reader, error) {
			return openVDSO(vdsoGettimeofday, func(fn uintptr) *callReader {
				return clockReader(timeval, vdsoCall(fn))
			})
		},
		time: func() (Reader, error) {
			return openVDSO(vdsoTime, func(fn uintptr) *callReader {
				return timeReader(vdsoCall(fn))
			})
		},
	},
	{
		path: Syscall,
		clockGettime: func(id int32) (Reader, error) {
			return opened(clockReader(timespec, func(buffer unsafe.Pointer, step uintptr, n int) int {
				return native.SyscallIDBuffer(unix.SYS_CLOCK_GETTIME, uintptr(id), buffer, step, n)
			}))
		},
		gettimeofday: func() (Reader, error) {
			return opened(clockReader(timeval, syscallCall(unix.SYS_GETTIMEOFDAY)))
		},
		time: openTimeSyscall,
	},
}

// twin returns the id of the same call as a system call; "" for a system call.
func (w way) twin(name string) string {
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
		fn, err := vdso.Lookup(vdsoClockGetres)
		if err != nil {
			return 0
		}
		// On the heap, which does not move while the native call writes to it.
		resolution := make([]int64, timespec.words)
		if failed := native.CallIDBuffer(fn, uintptr(id), unsafe.Pointer(&resolution[0]), 0, 1); int32(failed) < 0 {
			return 0
		}
		return float64(resolution[0]*timespec.perSecond + resolution[1])
	}
}

func isCoarse(id int32) bool {
	return id == unix.CLOCK_REALTIME_COARSE || id == unix.CLOCK_MONOTONIC_COARSE
}

// noID is the id of functions without a clock id.
const noID = -1

// probe returns a function that finds the vDSO function and returns one read by it; nil on
// another path.
func (w way) probe(name string, id int) func() (entry.Read, error) {
	if w.path != VDSO {
		return nil
	}
	return func() (entry.Read, error) {
		fn, err := vdso.Lookup(name)
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

func openVDSO(name string, reader func(fn uintptr) *callReader) (Reader, error) {
	fn, err := vdso.Lookup(name)
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
