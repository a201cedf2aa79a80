package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/clocksource"
	"github.com/timebench/timebench/internal/diagnose"
	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/internal/wintime"
)

// The bounds of what a run may be asked for.
const (
	shortestTime = time.Millisecond
	longestTime  = time.Hour
	mostRounds   = 1000
	// singleReads is how long --distribution times single reads of each clock:
	// long enough for thousands beyond the 99.9th percentile of a fast one.
	singleReads = 200 * time.Millisecond
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
	format  string
	timer   time.Duration
	out     string
	sources string
	yes     bool
	quiet   bool
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
			if err := notEmpty(command, "threads", "out", "clocksources"); err != nil {
				return err
			}
			if command.Flags().Changed("timer-resolution") && flags.timer <= 0 {
				return fmt.Errorf("--timer-resolution %s: write a span such as 1ms", flags.timer)
			}
			if command.Flags().Changed("time") && (flags.time < shortestTime || flags.time > longestTime) {
				return fmt.Errorf("--time %s: write a span from %s to %s", flags.time, shortestTime, "1h")
			}
			if command.Flags().Changed("rounds") && flags.rounds < 1 {
				return wrongRounds(flags.rounds)
			}
			return compare(command.OutOrStdout(), command.ErrOrStderr(), flags, selectors)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return selectorCompletions(), cobra.ShellCompDirectiveNoFileComp
		},
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
	f.StringVar(&flags.format, "format", render.Formats[0].Name, strings.Join(render.Names(render.Formats), ", "))
	f.StringVar(&flags.out, "out", "", outHelp)
	f.StringVar(&flags.sources, "clocksources", "", "also measure under other clock sources of the kernel: all, or a list such as hpet,acpi_pm")
	f.BoolVar(&flags.yes, "yes", false, "agree to what --clocksources does, without being asked")
	f.BoolVar(&flags.quiet, "quiet", false, "show no progress")
	complete(command, "format", render.Names(render.Formats)...)
	complete(command, "pin", "none", "compact", "spread")
	complete(command, "workers", "threads", "processes")
	return command
}

// complete offers values for a flag to the shell.
func complete(command *cobra.Command, flag string, values ...string) {
	// The only error is a flag that the command does not have.
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// selectorCompletions are the real ids, and the paths.
func selectorCompletions() []string {
	var all []string
	for _, c := range clock.Catalog() {
		all = append(all, c.ID, "@"+string(c.Path))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// compare checks everything before it measures anything.
func compare(stdout, stderr io.Writer, flags compareFlags, selectors []string) error {
	format, err := chosenFormat(render.Formats, flags.format)
	if err != nil {
		return err
	}
	// First, so that the facts tell of the timer as it is while the run measures.
	undoTimer, err := raiseTimer(flags.timer)
	if err != nil {
		return err
	}
	defer undoTimer()
	facts := host.Facts()
	settings, err := flags.settings(facts)
	if err != nil {
		return err
	}
	clocks, err := chosen(flags.all, selectors)
	if err != nil {
		return err
	}
	if settings.Rounds == 0 {
		settings.Rounds = settings.DefaultRounds(len(clocks))
	}
	if settings.Time == 0 {
		fitting := settings
		if flags.threads != "" {
			fitting.Threads = fitting.Threads[:1] // who asks for many waits for them
		}
		settings.Time = fitting.DefaultTime(len(clocks))
	}
	others, err := flags.otherSources(os.Stdin, stderr, &facts)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		if err := consent(os.Stdin, stderr, flags.yes, facts.ClockSource.Current, others); err != nil {
			return err
		}
	}
	target := newTarget(flags.out, results("compare"))
	ctx, ended := untilSignal(target.giveUp, consoleAsItIs(stderr))
	if err := target.open(); err != nil {
		return err
	}
	run := func(ctx context.Context, source string) (measure.Result, error) {
		tell, stop := showProgress(stderr, flags.quiet, source, clocks, settings)
		measured, err := measure.Run(ctx, clocks, settings, tell)
		stop(err == nil && !measured.Interrupted)
		return measured, err
	}
	// The guardian first: nothing is measured for nothing.
	var sw *clocksource.Switch
	if len(others) > 0 {
		if sw, err = hold(); err != nil {
			target.abandon()
			return couldNot(err)
		}
		defer func() { _ = sw.Restore() }()
	}
	measured, err := run(ctx, "")
	if err != nil {
		target.abandon()
		return couldNot(err)
	}
	facts = afterChange(facts, measured)
	var experiments []result.Experiment
	var spoilt error
	if sw != nil {
		var interrupted bool
		experiments, interrupted, spoilt = experiment(ctx, sw, others, run)
		measured.Interrupted = measured.Interrupted || interrupted
	}
	if !measured.Interrupted {
		addRates(&facts.CPU)
	}
	document := measuredDocument(facts, measured, result.Settings{
		Threads: settings.Threads, Rounds: settings.Rounds, TimeNS: int64(settings.Time), Distribution: flags.single,
		TimerResolutionNS: int64(flags.timer), Pin: flags.pin, Workers: flags.workers,
	})
	document.OtherClockSources = experiments
	addNoise(document)
	document.Findings = diagnose.Findings(document)
	// The table first has nothing to do with the files: what was measured is shown even
	// where they cannot be written.
	unwritten := target.write(reportFiles(document))
	if err := format.Write(stdout, document); err != nil {
		return couldNot(err)
	}
	if err := errors.Join(measured.Spoilt, spoilt, unwritten); err != nil {
		return couldNot(err)
	}
	if err := interruption(document, ended); err != nil {
		return err
	}
	if !slices.ContainsFunc(document.Clocks, func(c result.Clock) bool { return c.Available }) {
		return couldNot(errors.New("none of the chosen clocks is available here; `timebench list` shows which are"))
	}
	return nil
}

func chosen(all bool, selectors []string) ([]clock.Clock, error) {
	switch {
	case all && len(selectors) > 0:
		return nil, fmt.Errorf("--all takes every clock; leave out %s", strings.Join(selectors, " "))
	case all:
		return clock.Catalog(), nil
	case len(selectors) > 0:
		return clock.Select(clock.Catalog(), selectors)
	default:
		return clock.Default(), nil
	}
}

// settings checks the flags.
func (flags compareFlags) settings(facts result.Host) (measure.Settings, error) {
	s := measure.Settings{
		Rounds: flags.rounds, Time: flags.time,
		Quota: facts.CPU.Quota, QuotaPeriod: time.Duration(facts.CPU.QuotaPeriodNS),
	}
	if flags.single {
		s.Distribution = singleReads
	}
	var err error
	if s.Pin, err = pinOrder(flags.pin); err != nil {
		return s, err
	}
	// Those that had to be asked for come on top.
	facts.CPU.Usable = max(facts.CPU.Usable, len(s.Pin))
	s.CPUs = facts.CPU.Usable
	cpus := host.UsableCPUs(facts)
	if len(s.Pin) > 0 {
		cpus = min(cpus, len(s.Pin))
	}
	if s.Threads, err = flags.threadNumbers(cpus); err != nil {
		return s, err
	}
	if flags.rounds > mostRounds {
		return s, wrongRounds(flags.rounds)
	}
	switch flags.workers {
	case "threads":
	case "processes":
		s.Processes = true
	default:
		return s, fmt.Errorf("--workers %q is not known; write threads or processes", flags.workers)
	}
	return s, nil
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

func wrongRounds(rounds int) error {
	return fmt.Errorf("--rounds %d: write a number from 1 to %d", rounds, mostRounds)
}

func (flags compareFlags) threadNumbers(cpus int) ([]int, error) {
	if flags.threads == "" {
		return measure.DefaultThreads(cpus), nil
	}
	numbers, err := measure.ParseThreads(flags.threads)
	if err != nil {
		return nil, fmt.Errorf("--threads: %w", err)
	}
	return numbers, nil
}

// pinOrder turns --pin into the order in which threads are given CPUs.
func pinOrder(pin string) ([]int, error) {
	switch pin {
	case "none":
		return nil, nil
	case "compact":
		return thread.Compact(thread.Topology()), nil
	case "spread":
		return thread.Spread(thread.Topology()), nil
	}
	cpus, err := thread.ParseCPUs(pin)
	if err != nil {
		return nil, fmt.Errorf("--pin: %w; or write none, compact or spread", err)
	}
	return cpus, allowed("--pin", cpus)
}

// allowed refuses CPUs that this process may not use. One that nobody gets without asking for
// it (isolcpus= on the kernel's command line, taskset(1)) can be asked for.
func allowed(flag string, cpus []int) error {
	usable := thread.Usable()
	for _, cpu := range cpus {
		if !slices.Contains(usable, cpu) && thread.Pinnable([]int{cpu}) != nil {
			return fmt.Errorf("%s: CPU %d does not exist or is not allowed to this process; it may use %s", flag, cpu, listed(usable))
		}
	}
	return nil
}

// listed writes CPU numbers as --pin takes them.
func listed(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		last := i
		for last+1 < len(cpus) && cpus[last+1] == cpus[last]+1 {
			last++
		}
		part := strconv.Itoa(cpus[i])
		if last > i {
			part = fmt.Sprintf("%d-%d", cpus[i], cpus[last])
		}
		parts = append(parts, part)
		i = last + 1
	}
	return strings.Join(parts, ",")
}
