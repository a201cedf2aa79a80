package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/wintime"
)

// The bounds of what a run may be asked for.
const (
	shortestTime = time.Millisecond
	longestTime  = time.Hour
	mostRounds   = 1000
)

// compareFlags are the flags of compare as they were typed.
type compareFlags struct {
	threads string
	all     bool
	time    time.Duration
	rounds  int
	single  bool
	pin     string
	workers string
	timer   time.Duration
	sources string
	yes     bool
	quiet   bool
	reportFlags
}

func compareCommand() *cobra.Command {
	var flags compareFlags
	command := &cobra.Command{
		Use:   "compare [CLOCK...]",
		Short: "Measure latency, resolution and throughput of clocks",
		Long: `Compare measures what a read of each clock costs, how fine its values are, and
how many reads several threads get at once.

A CLOCK is an id (CLOCK_MONOTONIC@vdso), a glob ('*_COARSE@vdso'), a path
(@syscall) or a call (CLOCK_MONOTONIC, which is every path of it); case does not
matter. Without one, compare takes the clocks between which people choose. PowerShell
wants "@winapi" in quotes, and cmd.exe wants double ones.

With --clocksources (Linux, root) it measures first as the machine is, and then under
each other clock source of the kernel. That changes the running system: it asks first,
and the clock source is restored however the program ends.`,
		Example: `  timebench compare
  timebench compare --threads 1..24 --out report/
  timebench compare --out report.zip
  timebench compare @vdso --pin spread --format markdown
  sudo timebench compare --clocksources all`,
		RunE: func(command *cobra.Command, selectors []string) error {
			if err := flags.check(command); err != nil {
				return err
			}
			return compare(command.OutOrStdout(), command.ErrOrStderr(), flags, selectors)
		},
		ValidArgsFunction: completeSelectors,
	}
	f := command.Flags()
	f.StringVar(&flags.threads, "threads", "", "numbers of threads: 1..24, 1,2,4, or 1..24/4 for every fourth (default 1, 2, 4 … up to the CPUs)")
	f.BoolVar(&flags.all, "all", false, "take every clock that this build knows")
	f.DurationVar(&flags.time, "time", 0, "span of one throughput measurement (default 100ms, less where --threads is left out on many CPUs)")
	f.IntVar(&flags.rounds, "rounds", 0, "latency samples of each clock (default as many as take 3.5 s: some 80 of the default clocks, 700 of one)")
	f.BoolVar(&flags.single, "distribution", false, "also time single reads: percentiles, and how often one took ten times the median")
	f.StringVar(&flags.pin, "pin", "none", "none, compact, spread, or a CPU list such as 0,2,4-7")
	f.StringVar(&flags.workers, "workers", "threads", "threads or processes")
	f.DurationVar(&flags.timer, "timer-resolution", 0, "on Windows, measure with the system timer at this period or shorter, such as 1ms (timeBeginPeriod)")
	f.StringVar(&flags.sources, "clocksources", "", "also measure under other clock sources of the kernel: all, or a list such as hpet,acpi_pm")
	f.BoolVar(&flags.yes, "yes", false, "agree to what --clocksources does, without being asked")
	f.BoolVar(&flags.quiet, "quiet", false, "show no progress")
	addReportFlags(command, &flags.reportFlags, render.Formats, documentFiles)
	complete(command, "pin", "none", "compact", "spread")
	complete(command, "workers", "threads", "processes")
	return command
}

// check returns what is wrong with the flags that need no knowledge of the machine.
func (flags compareFlags) check(command *cobra.Command) error {
	if err := notEmpty(command, "threads", "out", "clocksources"); err != nil {
		return err
	}
	given := command.Flags().Changed
	switch {
	case given("timer-resolution") && flags.timer <= 0:
		return fmt.Errorf("--timer-resolution %s: write a span such as 1ms", flags.timer)
	case given("time") && (flags.time < shortestTime || flags.time > longestTime):
		return fmt.Errorf("--time %s: write a span from %s to %s", flags.time, shortestTime, "1h")
	case given("rounds") && (flags.rounds < 1 || flags.rounds > mostRounds):
		return fmt.Errorf("--rounds %d: write a number from 1 to %d", flags.rounds, mostRounds)
	}
	return nil
}

// compare plans, measures and reports. Everything is checked before anything is measured.
func compare(stdout, stderr io.Writer, flags compareFlags, selectors []string) error {
	format, err := chosenFormat(render.Formats, flags.format)
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
	if plan.otherSources, err = flags.otherSources(os.Stdin, stderr, &plan.facts); err != nil {
		return err
	}
	if len(plan.otherSources) > 0 {
		if err := consent(os.Stdin, stderr, flags.yes, plan.facts.ClockSource.Current, plan.otherSources); err != nil {
			return err
		}
	}
	to := report{stdout, format, reportFiles, newTarget(flags.out, results("compare"))}
	document, err := run(to, stderr, func(ctx context.Context) (*result.Document, error) {
		return plan.measure(ctx, stderr, flags.quiet)
	})
	if err != nil {
		return err
	}
	return someAvailable(document)
}

// raiseTimer has the system timer come as often as asked for, until undo.
func raiseTimer(period time.Duration) (undo func(), err error) {
	if period == 0 {
		return func() {}, nil
	}
	if undo, err = wintime.RaiseTimer(period); err != nil {
		return nil, fmt.Errorf("--timer-resolution %s: %w", period, err)
	}
	return undo, nil
}
