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
	"github.com/timebench/timebench/internal/drift"
	"github.com/timebench/timebench/internal/result"
)

// longestLoad is the most time that drift keeps every CPU busy: a run of hours is no
// reason to take a machine from its users for hours.
const longestLoad = 30 * time.Second

func driftCommand() *cobra.Command {
	var ref string
	var load bool
	var flags *sectionFlags
	command := &cobra.Command{
		Use:   "drift [CLOCK...]",
		Short: "Measure how fast clocks run against a reference, asleep and under load",
		Long: `Drift reads each clock between two readings of the reference, again and again, and
draws a line of least squares through them: its slope is how much faster than the
reference the clock runs, in parts per million (ppm), with an interval. One ppm is
86 ms a day.

It sleeps between its looks. In the last half of the time, and for 30 s at most, it
keeps every CPU busy, to see whether a clock's rate depends on that.

Without CLOCK it takes the fine clocks among which people choose. Ctrl-C ends it at any time with what is known by then; it takes no more memory in a
month than in a minute.`,
		Example: `  timebench drift
  timebench drift CLOCK_MONOTONIC_RAW RDTSC@cpu --ref CLOCK_REALTIME@vdso --time 1h
  timebench drift --load=false --out drift/`,
		RunE: func(command *cobra.Command, selectors []string) error {
			cpus, err := flags.check(command)
			if err != nil {
				return err
			}
			if err := notEmpty(command, "ref"); err != nil {
				return err
			}
			reference, err := reference(ref)
			if err != nil {
				return err
			}
			if reference.Kind == clock.CPUTime {
				return fmt.Errorf("--ref %w", countsCPUTime(reference))
			}
			clocks, err := chosen(flags.all, selectors, drifting())
			if err != nil {
				return err
			}
			clocks = slices.DeleteFunc(slices.Clone(clocks), func(c clock.Clock) bool { return c.ID == reference.ID })
			if len(clocks) == 0 {
				return fmt.Errorf("--ref %s is the only clock to measure; name another clock, or another reference", reference.ID)
			}
			if err := clock.Readable(reference); err != nil {
				return couldNot(fmt.Errorf("--ref %s: %w", reference.ID, err))
			}
			if err := steady(clocks); err != nil {
				return err
			}
			settings := drift.Settings{Time: flags.time, CPUs: len(cpus)}
			if load {
				settings.LoadTime = min(flags.time/2, longestLoad)
			}
			measure := func(ctx context.Context, document *result.Document, tell func(done, total time.Duration)) error {
				settings.NominalHz = func(c clock.Clock) float64 { return statedHz(c, document.Host.CPU) }
				drifted, err := drift.Run(ctx, clocks, reference, settings, tell)
				document.Put(&drifted)
				return err
			}
			_, err = flags.run(command.OutOrStdout(), command.ErrOrStderr(), sectionRun{"Holding against " + reference.ID, clocks, 1, measure})
			return err
		},
	}
	flags = addSectionFlags(command, 10*time.Second)
	command.Flags().StringVar(&ref, "ref", "", "the clock that the others are held against (default the monotonic clock of the system)")
	command.Flags().BoolVar(&load, "load", true, "keep every CPU busy in the last half of the time, and for 30 s at most")
	_ = command.RegisterFlagCompletionFunc("ref", completeSelectors)
	return command
}

// references are what drift takes for its reference unless it is told, the first that is
// here.
var references = []string{
	"CLOCK_MONOTONIC@vdso", "CLOCK_MONOTONIC@syscall", "QueryPerformanceCounter@winapi", "CLOCK_MONOTONIC@libc", "time.Now@go",
}

// reference is the clock that a selector names: one, or the first that can be read of
// those of one call.
func reference(selector string) (clock.Clock, error) {
	all := clock.Catalog()
	if selector == "" {
		for _, id := range references {
			i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == id })
			if i >= 0 && clock.Readable(all[i]) == nil {
				return all[i], nil
			}
		}
		return clock.Clock{}, couldNot(errors.New("none of the clocks that could be the reference is available; name one: --ref CLOCK"))
	}
	if strings.Contains(selector, ",") {
		return clock.Clock{}, fmt.Errorf("--ref %s: there is one reference; name one clock", selector)
	}
	named, err := clock.Select(all, []string{selector})
	if err != nil {
		return clock.Clock{}, fmt.Errorf("--ref: %w", err)
	}
	for _, c := range named[1:] {
		if callOf(c) != callOf(named[0]) {
			return clock.Clock{}, fmt.Errorf("--ref %s names %d clocks; write one, such as %s", selector, len(named), named[0].ID)
		}
	}
	for _, c := range named {
		if clock.Readable(c) == nil {
			return c, nil
		}
	}
	return named[0], nil
}

// steady refuses clocks of which none can have a rate: a run would last as long as any.
func steady(clocks []clock.Clock) error {
	var why error
	for _, c := range clocks {
		if c.Kind == clock.CPUTime {
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

// drifting are the clocks that drift measures unless it is told: those among which people
// choose, but for CPU time, which passes as the scheduler has it, and for clocks whose
// steps hide their rate for minutes.
func drifting() []clock.Clock {
	const finest = 1e6 // ticks a second
	return slices.DeleteFunc(clock.Default(), func(c clock.Clock) bool {
		return c.Kind == clock.CPUTime || c.Hz > 0 && c.Hz <= finest || strings.Contains(c.ID, "_COARSE@")
	})
}

// statedHz is the rate that the kernel takes a counter to have which states none.
func statedHz(c clock.Clock, cpu result.CPU) float64 {
	if c.Path == clock.CPU && strings.Contains(c.ID, "RDTSC") {
		return cpu.KernelTSCHz
	}
	return 0
}
