// Package profile measures which programs read clocks, and what share of their CPU time that
// takes. It is the measurement `profile`, for Linux.
//
// The kernel samples what runs, by default 499 times in each second of CPU time (package
// perfevent). A sample belongs to a read of a clock if the program is in the vDSO, or in the
// kernel in the system call of a clock. The share of such samples is the share of CPU time. The
// CPU time of all reads, divided by what one read costs before the sampling and after it, is about the number of reads.
// docs/profile.md explains it.
package profile

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// The scopes of a profile: which processes it is about.
const (
	Machine   = "machine"   // all
	Processes = "processes" // some, and those that they start
	Command   = "command"   // one that was started for it, and those that it starts
)

// The limits and the defaults of Settings: the rate in samples per second of CPU time.
const (
	MinRate     = 10
	MaxRate     = 10000
	DefaultRate = 499
	MinTime     = 100 * time.Millisecond
	DefaultTime = 5 * time.Second
)

// Settings are the settings of a run.
type Settings struct {
	// Time is how long to sample.
	Time time.Duration
	// RateHz is the number of samples in each second of CPU time, from MinRate to MaxRate. A
	// prime does not keep step with programs that do something regularly. 0 is DefaultRate.
	RateHz int
	// PIDs are the processes. The processes that they have started, and start meanwhile, belong to them. Without PIDs
	// and without Command it is the whole machine.
	PIDs []int
	// Command is the command to start, with its arguments. It is sampled until it ends, and Time
	// is not used.
	Command []string
	// Threads is whether the tables list the threads too.
	Threads bool
	// Beside is closed when another measurement of this process ends; nil if the profile is the only one. It ends the
	// sampling. The profile leaves out this process and the callers. If the system does not allow to see all other
	// processes and the kernel, Run returns an error.
	Beside <-chan struct{}
	// Output is the standard output and error of the command.
	Output *os.File
}

// A Measure measures the costs of reads on this machine: of the clocks of [Clocks], and of [clock.UserMode] for the
// projection of the cost in user mode. Run calls it before it samples and after, because a machine does
// not keep its speed. Beside another measurement the costs may be known after it only.
type Measure func(context.Context) ([]compare.Clock, error)

// ErrUnsupported is the error of Run on other systems than Linux.
var ErrUnsupported = errors.New("profile is for Linux; on Windows use Windows Performance Recorder (wpr -start CPU), on macOS Instruments (xctrace), on FreeBSD pmcstat or dtrace")

// The clocks of the fine reads, by the vDSO and by system calls.
const (
	FineID         = "CLOCK_MONOTONIC@vdso"
	syscallID      = "CLOCK_MONOTONIC@syscall"
	gettimeofdayID = "gettimeofday@syscall"
	timeID         = "time@syscall"
)

// costly are the clocks whose costs a profile needs.
var costly = []string{FineID, syscallID, gettimeofdayID, timeID, "gettimeofday@vdso", "time@vdso"}

// Clocks returns the clocks whose costs Run needs, of those in all.
func Clocks(all []clock.Clock) []clock.Clock {
	return slices.DeleteFunc(slices.Clone(all), func(c clock.Clock) bool { return !slices.Contains(costly, c.ID) })
}
