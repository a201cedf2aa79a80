// Package clock is the catalogue of the clocks of an operating system, with a Reader for each.
//
// A clock is a call and its path: the same call can cost 20 ns on one path and 150 ns on
// another. Its id is "<call>@<path>", such as CLOCK_MONOTONIC@vdso. [Catalog] lists every clock
// that this build knows, also those that this machine does not have: their Open returns the
// reason.
//
// The clocks of each system:
//
//	Linux    @vdso: the vDSO function, found in memory and called without libc.
//	         @syscall: the same call as a system call.
//	         hpet@mmio and ptpN@syscall, if the device exists and may be opened.
//	Windows  @winapi: the Win32 functions, called by their own calling convention.
//	         @syscall: NtQueryPerformanceCounter, which always makes the system call.
//	         @memory: the page that the kernel shares with every process.
//	macOS    clock_gettime, clock_gettime_nsec_np, gettimeofday, and the counters of Mach, @libc.
//	OpenBSD  clock_gettime and gettimeofday @libc, through golang.org/x/sys.
//	FreeBSD  the same @syscall, because golang.org/x/sys makes the system call there;
//	         NetBSD too.
//	x86      RDTSC, LFENCE+RDTSC, RDTSCP, all @cpu.
//	arm64    CNTVCT_EL0, ISB+CNTVCT_EL0, both @cpu.
//	arm      CNTVCT, ISB+CNTVCT, both @cpu, where the kernel allows them.
//	loong64  RDTIME.D@cpu.
//	ppc64le  MFTB@cpu.
//	riscv64  RDTIME@cpu.
//	s390x    STCKF, STCK, both @cpu.
//	all      time.Now@go.
//
// A new clock is one entry in one table: the catalog_*.go file of its system.
package clock

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// A Path is how a read reaches its clock.
type Path string

// The paths of the clocks that timebench knows.
const (
	VDSO    Path = "vdso"    // a function of the Linux vDSO; vdso(7)
	Syscall Path = "syscall" // a system call; syscall(2), and a stub of ntdll
	CPU     Path = "cpu"     // an instruction that reads a CPU counter
	MMIO    Path = "mmio"    // a device register, mapped into the process
	WinAPI  Path = "winapi"  // a Windows function; learn.microsoft.com/windows/win32/api
	Memory  Path = "memory"  // the page that the Windows kernel shares with every process
	Libc    Path = "libc"    // a function of the C library
	Go      Path = "go"      // a function of Go's standard library
)

// UserModeID is the ID of the stand-in that UserMode returns.
const UserModeID = "CLOCK_MONOTONIC in user mode@cpu"

// A Kind is the meaning of a clock's values.
type Kind string

// The kinds of clocks.
const (
	Monotonic Kind = "monotonic" // time since some start, never set back
	Wall      Kind = "wall"      // the date and time of day, which may be set
	CPUTime   Kind = "cpu time"  // CPU time that a thread or process has used
	UserTime  Kind = "user time" // the part of it outside the kernel
	Counter   Kind = "counter"   // ticks of a hardware counter, without conversion
)

// CountsCPU reports whether the clock stands still while its thread or process sleeps.
func (k Kind) CountsCPU() bool { return k == CPUTime || k == UserTime }

// A Clock is one way to read the time: a call and its path.
type Clock struct {
	// ID is "<call>@<path>": stable, printed, typed by users.
	ID string
	// Call is the call, spelt as in its documentation.
	Call string
	Path Path
	Kind Kind
	// Hz is the unit of the values that Read returns, in ticks per second. It is 0 if only the
	// device reports it, in ReportedNS (the HPET), or if it must be measured (the TSC).
	Hz float64
	// ReportedNS returns the resolution in nanoseconds that the system reports, for example
	// through clock_getres(2); 0 if it reports none.
	ReportedNS func() float64
	// OtherPath is the id of the same call on another path, which must agree, or "".
	OtherPath string
	// Coarse: the timer interrupt advances the value. It stands still between two
	// interrupts, and steps further after a late one.
	Coarse bool
	// PerThread: each thread has its own values, which cannot be compared between threads.
	PerThread bool
	// PathResolutionNS returns the resolution in nanoseconds that the clock's own path reports,
	// for example the clock_getres of the vDSO; 0 if it reports none. It is nil if no path of
	// the call reports one. It must be called on a thread of package thread.
	PathResolutionNS func() float64
	// Open returns a new Reader for one thread. The error is why the clock is not available.
	Open func() (Reader, error)
	// Layers returns the layers of a read, the read itself last; none if its parts are unknown. It is nil for a clock
	// outside the catalogue. enters is whether the read enters the kernel, as in [entry.Verdict].
	Layers func(enters string) []Layer
	// probe returns the read that KernelEntries tests for kernel entry; nil if there is nothing
	// to test.
	probe func() (entry.Read, error)
}

// A Reader reads one clock back to back, without any other work in between. It is for one
// thread at a time, a thread of package thread, because native loops need signals blocked. A
// call for many reads cannot be interrupted; keep it well below 1 ms.
type Reader interface {
	// Spin makes n reads, n ≥ 1, and drops the values.
	Spin(n int)
	// Read makes len(ticks) ≥ 1 consecutive reads and stores their values, in units of the
	// clock's Hz. The caller owns ticks.
	Read(ticks []int64)
}

// A Failer is a Reader whose reads can fail after Open, for example when a device is unplugged.
type Failer interface {
	Reader
	// Err returns the error of the last Spin or Read; nil if it succeeded.
	Err() error
}

// Catalog returns every clock that this build knows, available or not, always in the same
// order. It opens none.
func Catalog() []Clock {
	var all []Clock
	all = append(all, systemClocks()...)
	all = append(all, counterClocks()...)
	all = append(all, goClocks()...)
	for i, c := range all {
		all[i].Open = func() (Reader, error) {
			reader, err := c.Open()
			if err != nil {
				debuglog.Printf("clock", "%s: %v", c.ID, err)
			}
			return reader, err
		}
		all[i].Layers = func(enters string) []Layer { return nested(c, enters) }
	}
	return all
}

// inDefault are the system calls in the default set, for comparison with the vDSO and with
// QueryPerformanceCounter.
var inDefault = map[string]bool{"CLOCK_MONOTONIC@syscall": true, "gettimeofday@syscall": true,
	"NtQueryPerformanceCounter@syscall": true}

// MostRead are the calls that programs read most. They are in the default set also where this build has only their
// system calls, as on FreeBSD.
var MostRead = []string{"CLOCK_REALTIME", "CLOCK_MONOTONIC", "gettimeofday", "GetSystemTimePreciseAsFileTime",
	"QueryPerformanceCounter"}

// Default returns the clocks that compare measures by default: all that need neither a system
// call nor a device, and some system calls for comparison.
func Default() []Clock { return defaultOf(Catalog()) }

func defaultOf(all []Clock) []Clock {
	var chosen []Clock
	for _, c := range all {
		call, _, _ := strings.Cut(c.ID, "@")
		onlyPath := slices.Contains(MostRead, call) && !slices.ContainsFunc(all, func(other Clock) bool {
			return other.Path != c.Path && strings.HasPrefix(other.ID, call+"@")
		})
		if c.Path != Syscall && c.Path != MMIO || inDefault[c.ID] || onlyPath {
			chosen = append(chosen, c)
		}
	}
	return chosen
}
