// Package clock is the catalogue of the clocks that an operating system offers
// and the ways to read each of them.
//
// A clock here is a call and the path by which it is made, since the same call
// can cost 20 ns by one path and 150 ns by another. Its id is "<call>@<path>",
// such as CLOCK_MONOTONIC@vdso. [Catalog] lists every clock that this build
// knows, those included that this machine does not have: their Open says why.
//
// What to expect on each system:
//
//	Linux    @vdso: the function in the vDSO, found in memory, called with no libc.
//	         @syscall: the same through the kernel's door.
//	         hpet@mmio and ptpN@syscall where the device is there and may be opened.
//	Windows  @winapi: the functions of Win32, called by their own convention.
//	         @memory: the page that the kernel shares with every process.
//	macOS    clock_gettime and gettimeofday @libc, by golang.org/x/sys; OpenBSD too.
//	FreeBSD  the same @syscall, since there golang.org/x/sys enters the kernel;
//	         NetBSD and Linux on other CPUs too.
//	x86      RDTSC, LFENCE+RDTSC, RDTSCP, all @cpu.
//	arm64    CNTVCT_EL0, ISB+CNTVCT_EL0, both @cpu.
//	all      time.Now@go.
//
// A new clock is one entry in one table: the catalog_*.go file of its system.
package clock

import (
	"github.com/timebench/timebench/internal/entry"
	"github.com/timebench/timebench/internal/trace"
)

// A Path is the way by which a clock is read.
type Path string

// The paths of the clocks that timebench knows.
const (
	VDSO    Path = "vdso"    // a function of the Linux vDSO; vdso(7)
	Syscall Path = "syscall" // the kernel's door; syscall(2)
	CPU     Path = "cpu"     // an instruction that reads a counter of the CPU
	MMIO    Path = "mmio"    // a device's register, mapped into the process
	WinAPI  Path = "winapi"  // a function of Windows; learn.microsoft.com/windows/win32/api
	Memory  Path = "memory"  // the page that the Windows kernel shares with every process
	Libc    Path = "libc"    // a function of the C library, called from Go
	Go      Path = "go"      // a function of Go's standard library
)

// A Kind is what a clock's values mean.
type Kind string

// The kinds of clock between which a program chooses.
const (
	Monotonic Kind = "monotonic" // time since some start, never set back
	Wall      Kind = "wall"      // the date and time of day, which may be set
	CPUTime   Kind = "cpu time"  // CPU time that a thread or process used
	Counter   Kind = "counter"   // ticks of a hardware counter, without conversion
)

// A Clock is one way to ask for the time: a call, and the path by which it is
// made.
type Clock struct {
	// ID is "<call>@<path>": stable, printed, typed by users.
	ID string
	// Call is the call as its documentation spells it.
	Call string
	Path Path
	Kind Kind
	// Hz is the ticks a second of the values that Read returns. It is 0 where
	// only the device can tell, in ReportedNS (the HPET), or a measurement (a
	// time stamp counter).
	Hz float64
	// ReportedNS is the resolution that the system itself states, in
	// nanoseconds, by clock_getres(2) for example; 0 where it states none.
	ReportedNS func() float64
	// Twin is the id of the clock that makes the same call by another path and must
	// agree; empty where there is none.
	Twin string
	// Coarse says that the value is that of the last tick of an interrupt, which may come
	// late: it stands still between ticks, and takes a longer step after a late one.
	Coarse bool
	// PerThread says that the values are the reading thread's own: two threads' are not
	// to be compared.
	PerThread bool
	// PathResolutionNS is the resolution in nanoseconds that the clock's own path
	// states, by the vDSO's clock_getres for example, for a thread of package thread; 0
	// where it states none. It is nil where no path of the call states one.
	PathResolutionNS func() float64
	// Open returns a new Reader. Each belongs to one thread. An error says why
	// the clock cannot be had here.
	Open func() (Reader, error)
	// probe makes the reads of which KernelEntries finds out whether they enter the
	// kernel; nil where that is no question.
	probe func() (entry.Read, error)
}

// A Reader reads one clock back to back, with nothing in between that the clock
// does not need. It is for one thread at a time, one of package thread: native
// loops want signals blocked. A call for many reads cannot be interrupted; keep
// it well under a millisecond.
type Reader interface {
	// Spin makes n reads, n ≥ 1, and drops the values.
	Spin(n int)
	// Read makes len(ticks) ≥ 1 consecutive reads and stores their values, in
	// ticks of the clock's Hz. The caller owns ticks.
	Read(ticks []int64)
}

// A Failer is a Reader whose reads can fail after it was opened, as a device
// that is unplugged does.
type Failer interface {
	// Err returns the failure of the last Spin or Read; nil when it succeeded.
	Err() error
}

// Catalog returns every clock that this build knows, available here or not, in
// an order that is the same on each call. It opens none.
func Catalog() []Clock {
	var all []Clock
	all = append(all, systemClocks()...)
	all = append(all, counterClocks()...)
	all = append(all, goClocks()...)
	for i, c := range all {
		all[i].Open = func() (Reader, error) {
			reader, err := c.Open()
			if err != nil {
				trace.Printf("clock", "%s: %v", c.ID, err)
			}
			return reader, err
		}
	}
	return all
}

// inDefault are the system calls that stand in the default set, for contrast
// with the same calls by the vDSO.
var inDefault = map[string]bool{"CLOCK_MONOTONIC@syscall": true, "gettimeofday@syscall": true}

// Default returns the clocks between which people choose: all that a program
// reaches without a system call or a device, and two system calls for contrast.
func Default() []Clock {
	var chosen []Clock
	for _, c := range Catalog() {
		if c.Path != Syscall && c.Path != MMIO || inDefault[c.ID] {
			chosen = append(chosen, c)
		}
	}
	return chosen
}
