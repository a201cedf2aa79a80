// Package profile measures which programs read clocks, and which share of their CPU time the reads take. It is the
// measurement `profile`, for Linux.
//
// The kernel samples the running programs, by default 499 times in each second of CPU time (package perfevent). A
// sample belongs to a read of a clock if the program is in the vDSO, or in the kernel in the system call of a clock.
// The share of such samples is the share of CPU time. The number of reads is about the CPU time of all reads, divided
// by the cost of a read, measured before the sampling. docs/profile.md explains it.
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

// The scopes of a profile: which processes it samples.
const (
	Machine   = "machine"   // all
	Processes = "processes" // some processes, and the processes that they start
	Command   = "command"   // a command that the profile starts, and the processes that it starts
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
	// RateHz is the number of samples in each second of CPU time, from MinRate to MaxRate. A prime avoids keeping step
	// with programs that do something regularly. 0 is DefaultRate.
	RateHz int
	// PIDs are the processes, with all processes that they started or start during the profile. Without PIDs and
	// without Command the whole machine is sampled.
	PIDs []int
	// Command is the command to start, with its arguments. It is sampled until it ends, and Time
	// is not used.
	Command []string
	// Threads is whether the tables list the threads too.
	Threads bool
	// Beside is closed when another measurement of this process ends, which ends the sampling; nil if the profile is
	// the only measurement. The profile leaves out this process and the callers. Run returns an error if it may not see
	// all other processes and the kernel.
	Beside <-chan struct{}
	// Output is the standard output and error of the command.
	Output *os.File
}

// A Measure measures the costs of reads on this machine: of the clocks of [Clocks], and of [clock.UserMode] for the
// projection of the cost in user mode. Run calls it before the sampling, and beside another measurement also after it:
// the costs may be known only then.
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

// Clocks returns the clocks in all whose costs Run needs.
func Clocks(all []clock.Clock) []clock.Clock {
	return slices.DeleteFunc(slices.Clone(all), func(c clock.Clock) bool { return !slices.Contains(costly, c.ID) })
}
