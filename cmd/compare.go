package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/clocksource"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/wintime"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
)

// The limits of --throughput-time, --rounds, --limit and --repeat.
const (
	minTime   = time.Millisecond
	maxTime   = time.Hour
	minLimit  = time.Second
	maxLimit  = 24 * time.Hour
	maxRounds = 1000
	maxRepeat = compare.MaxRuns
)

type compareFlags struct {
	threads string
	all     bool
	time    time.Duration
	rounds  int
	repeat  int
	limit   time.Duration
	single  bool
	pin     string
	workers string
	timer   time.Duration
	sources string
	yes     bool
	reportFlags
}

func compareCommand() *cobra.Command {
	var flags compareFlags
	command := &cobra.Command{
		Use:   "compare [CLOCK...]",
		Short: "Measure latency, resolution and throughput of clocks",
		Long: `Compare measures the latency and the resolution of each clock, and its throughput by
number of threads.

CLOCK is an id (CLOCK_MONOTONIC@vdso), a glob ('*_COARSE@vdso'), a path (@syscall) or
a call (CLOCK_MONOTONIC: every path of it). Case does not matter. Without CLOCK,
compare measures the clocks that programs choose between. Write "@winapi" in quotes in
PowerShell, and in double quotes in cmd.exe.

With --clocksources (Linux, root), compare measures with the current clock source, and
then with each other clock source of the kernel. This changes the running system, so
compare asks first. It restores the clock source, also if it is killed.`,
		Example: `  timebench compare
  timebench compare --threads 1..24 --out report/
  timebench compare --threads 1..24 --limit 2m
  timebench compare --out report.zip
  timebench compare --repeat 5 --out before/
  timebench compare @vdso --pin spread --format markdown
  sudo timebench compare --clocksources all`,
		RunE: func(command *cobra.Command, selectors []string) error {
			if err := flags.check(command); err != nil {
				return err
			}
			return compareClocks(command.OutOrStdout(), command.ErrOrStderr(), flags, selectors)
		},
		ValidArgsFunction: completeSelectors,
	}
	f := command.Flags()
	f.StringVarP(&flags.threads, "threads", "t", "",
		"numbers of threads: `N..M`, a list 1,2,4, or 1..24/4 for every fourth "+
			"(default 1, 2, 4 … up to the number of CPUs)")
	f.BoolVar(&flags.all, "all", false, allHelp)
	f.DurationVar(&flags.time, "throughput-time", 0,
		"duration of one throughput measurement (default 100ms; less on many CPUs without --threads)")
	f.IntVar(&flags.rounds, "rounds", 0,
		"`number` of latency samples of each clock "+
			"(default as many as take 3.5 s: about 80 for the default clocks, 700 for one)")
	f.IntVar(&flags.repeat, "repeat", 1,
		"`number` of runs, one after another: runs differ more than the samples of one, so diff judges by runs")
	f.DurationVar(&flags.limit, "limit", 0,
		"`time` after which the measurement ends with what is complete, such as 2m "+
			"(default: none with --threads, --rounds or --throughput-time; else twice the time on an idle machine, "+
			"after the first figures of each clock)")
	f.BoolVar(&flags.single, "distribution", false,
		"time single reads too: percentiles, and how often one took ten times the median")
	f.StringVar(&flags.pin, "pin", "none", "pin threads to `cpus`: none, compact, spread, or a list such as 0,2,4-7")
	f.StringVar(&flags.workers, "workers", "threads", "`threads` or processes that read")
	f.DurationVar(&flags.timer, "timer-resolution", 0,
		"on Windows, request this period of the system timer, such as 1ms or 500us")
	f.StringVar(&flags.sources, "clocksources", "",
		"also measure with other clock `sources` of the kernel: all, or a list such as hpet,acpi_pm")
	f.BoolVar(&flags.yes, "yes", false, "do not ask before --clocksources changes the system")
	addReportFlags(command, &flags.reportFlags, render.Formats, documentFiles)
	addLabelFlag(command, &flags.reportFlags)
	complete(command, "pin", "none", "compact", "spread")
	complete(command, "workers", "threads", "processes")
	return command
}

func (flags compareFlags) check(command *cobra.Command) error {
	given := command.Flags().Changed
	switch {
	case given("timer-resolution") && flags.timer <= 0:
		return fmt.Errorf("--timer-resolution %s: write a duration such as 1ms", flags.timer)
	case given("throughput-time") && (flags.time < minTime || flags.time > maxTime):
		return timeError("throughput-time", flags.time, minTime, "1h")
	case given("limit") && (flags.limit < minLimit || flags.limit > maxLimit):
		return timeError("limit", flags.limit, minLimit, "24h")
	case given("rounds") && (flags.rounds < 1 || flags.rounds > maxRounds):
		return fmt.Errorf("--rounds %d: write a number from 1 to %d", flags.rounds, maxRounds)
	case flags.repeat < 1 || flags.repeat > maxRepeat:
		return fmt.Errorf("--repeat %d: write a number from 1 to %d", flags.repeat, maxRepeat)
	case flags.repeat > 1 && flags.single:
		return errors.New(
			"--repeat and --distribution: the distributions of several runs are not joined; write one of the two")
	}
	return nil
}

// compareClocks plans, measures and reports. Everything is checked before anything is measured.
func compareClocks(stdout, stderr io.Writer, flags compareFlags, selectors []string) error {
	to, err := newReport(stdout, stderr, flags.reportFlags, render.Formats, files.OfDocument, "compare")
	if err != nil {
		return err
	}
	// Before the facts of the host are read: they contain the period of the timer.
	undoTimer, err := raiseTimer(flags.timer)
	if err != nil {
		return err
	}
	defer undoTimer()
	plan, err := planComparison(flags, selectors, host.Facts())
	if err != nil {
		return err
	}
	if plan.otherSources, err = flags.otherSources(clocksource.Sysfs, os.Stdin, stderr, &plan.facts); err != nil {
		return err
	}
	document, err := run(to, func(ctx context.Context) (*result.Document, error) {
		return plan.measure(ctx, stderr)
	})
	if err != nil {
		return err
	}
	return someAvailable(document)
}

// raiseTimer requests a period of the system timer. undo withdraws the request.
func raiseTimer(period time.Duration) (undo func(), err error) {
	if period == 0 {
		return func() {}, nil
	}
	if undo, err = wintime.RaiseTimer(period); err != nil {
		return nil, fmt.Errorf("--timer-resolution %s: %w", period, err)
	}
	return undo, nil
}
