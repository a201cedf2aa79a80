package cmd

import (
	"os"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/machine/clocksource"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/system/program"
)

// roles are what other processes of timebench do for a command. A new role is an entry.
var roles = program.Roles{
	clocksource.GuardianRole: clocksource.Guard,
	measure.WorkerRole:       measure.Worker,
	observe.ThreadsRole:      observe.HoldThreads,
	ptrace.Role:              ptrace.Follow,
	wake.AwakeRole:           wake.KeepAwake,
	runtimes.BenchmarkRole:   func([]string) error { return programs.GoMain(os.Stdin, os.Stdout) },
}
