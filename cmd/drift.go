package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/show/words"
)

// maxLoad limits how long drift keeps every CPU busy: a run of hours must not take the machine
// from its users for hours.
const maxLoad = 30 * time.Second

func driftCommand() *cobra.Command {
	var ref string
	var load bool
	var flags *sectionFlags
	command := &cobra.Command{
		Use:   "drift [CLOCK...]",
		Short: "Measure the rates of clocks against a reference",
		Long: `Drift reads each clock between two readings of the reference, again and again. The slope
of the least-squares line through the readings is the rate of the clock against the
reference, in parts per million (ppm), with its 95% CI. One ppm is 86 ms a day.

Drift sleeps between the readings. With --load it keeps every CPU busy for the last half of
the time, 30 s at most, to check whether the rate depends on load.

Without CLOCK it measures the fine clocks that programs choose between. Ctrl-C ends it
at any time, and drift reports what is complete. It takes no more memory in a month
than in a minute.`,
		Example: `  timebench drift
  timebench drift RDTSC@cpu --ref CLOCK_REALTIME@vdso --duration 1h
  timebench drift --load --out drift/`,
		RunE: func(command *cobra.Command, selectors []string) error {
			cpus, clocks, err := flags.check(selectors, drift.DefaultClocks())
			if err != nil {
				return err
			}
			reference, err := reference(ref)
			if err != nil {
				return err
			}
			if reference.Kind.CountsCPU() {
				return fmt.Errorf("--ref %w", countsCPUTime(reference))
			}
			clocks = slices.DeleteFunc(slices.Clone(clocks), func(c clock.Clock) bool { return c.ID == reference.ID })
			if len(clocks) == 0 {
				return fmt.Errorf("--ref %s is the only clock to measure; name another clock, or another reference", reference.ID)
			}
			if err := clock.Readable(reference); err != nil {
				return couldNot(fmt.Errorf("--ref %s: %w", reference.ID, err))
			}
			if err := refuseWithoutRate(clocks); err != nil {
				return err
			}
			settings := drift.Settings{Time: flags.time, CPUs: len(cpus)}
			if load {
				settings.LoadTime = min(flags.time/2, maxLoad)
			}
			measure := func(ctx context.Context, document *result.Document, progress func(done, total time.Duration)) error {
				settings.KernelTSCHz = document.Host.CPU.KernelTSCHz
				drifted, err := drift.Run(ctx, clocks, reference, settings, progress)
				document.Put(&drifted)
				return err
			}
			announcement := fmt.Sprintf("Measuring the drift of %s against %s", words.Plural(len(clocks), "clock"), reference.ID)
			_, err = flags.run(command, sectionRun{announcement, clocks, []int{1}, flags.time, measure})
			return err
		},
	}
	flags = addClockFlags(command, 10*time.Second)
	command.Flags().StringVar(&ref, "ref", "",
		"`CLOCK` to measure the others against (default the monotonic clock of the system)")
	command.Flags().BoolVar(&load, "load", false,
		"keep every CPU busy for the last half of the time, 30 s at most (off by default)")
	_ = command.RegisterFlagCompletionFunc("ref", completeSelectors)
	return command
}

// references are the default references. Drift takes the first that is available.
var references = []string{
	"CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC@syscall", "QueryPerformanceCounter@winapi", "CLOCK_MONOTONIC@libc",
	"time.Now@go",
}

// reference returns the clock of --ref. If the selector matches several paths of a call, it returns the first
// readable clock.
func reference(selector string) (clock.Clock, error) {
	all := clock.Catalog()
	if selector == "" {
		for _, id := range references {
			i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == id })
			if i >= 0 && clock.Readable(all[i]) == nil {
				return all[i], nil
			}
		}
		return clock.Clock{}, couldNot(errors.New("no default reference is available here; name one with --ref CLOCK"))
	}
	if strings.Contains(selector, ",") {
		return clock.Clock{}, fmt.Errorf("--ref %s: this is a list; name one clock", selector)
	}
	matching, err := clock.Select(all, []string{selector})
	if err != nil {
		return clock.Clock{}, fmt.Errorf("--ref: %w", err)
	}
	for _, c := range matching[1:] {
		if callOf(c) != callOf(matching[0]) {
			return clock.Clock{}, fmt.Errorf("--ref %s matches %d clocks; name one, such as %s", selector, len(matching),
				matching[0].ID)
		}
	}
	for _, c := range matching {
		if clock.Readable(c) == nil {
			return c, nil
		}
	}
	return matching[0], nil
}

// refuseWithoutRate returns an error if drift cannot measure the rate of any clock: the run would waste its time.
func refuseWithoutRate(clocks []clock.Clock) error {
	var why error
	for _, c := range clocks {
		if c.Kind.CountsCPU() {
			continue
		}
		err := clock.Readable(c)
		if err == nil {
			return nil
		}
		why = cmp.Or(why, couldNot(fmt.Errorf("none of the chosen clocks is available here; %s: %w", c.ID, err)))
	}
	return cmp.Or(why, countsCPUTime(clocks[0]))
}

func countsCPUTime(c clock.Clock) error {
	return fmt.Errorf("%s counts CPU time, which passes only while a thread runs; name a clock that never stops", c.ID)
}

func callOf(c clock.Clock) string {
	call, _, _ := strings.Cut(c.ID, "@")
	return call
}
