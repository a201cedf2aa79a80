package cmd

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/skew"
)

func skewCommand() *cobra.Command {
	var flags *sectionFlags
	command := &cobra.Command{
		Use:   "skew [CLOCK...]",
		Short: "Measure how far the CPUs' views of a clock are apart",
		Long: `Skew has pairs of CPUs exchange readings of a clock over a cache line that they
share, and says by how much the clock of one is ahead of the other's, and how far that
may be from the truth: half of the best round trip. Up to 16 CPUs it compares each with
each, of more the first with all others.

Without CLOCK it takes the CPU's counter, and the clock that most programs read.`,
		Example: `  timebench skew
  timebench skew RDTSC@cpu --cpus 0,8,16 --time 10s
  timebench skew --out skew/`,
		RunE: func(command *cobra.Command, selectors []string) error {
			cpus, err := flags.check(command)
			if err != nil {
				return err
			}
			clocks, err := chosen(flags.all, selectors, skewed())
			if err != nil {
				return err
			}
			if len(cpus) < 2 {
				return couldNot(errors.New("there is one CPU to use, and so nothing to compare; skew needs two"))
			}
			measure := func(ctx context.Context, document *result.Document, tell func(done, total time.Duration)) error {
				compared := skew.Run(ctx, clocks, skew.Settings{Time: flags.time, CPUs: cpus}, tell)
				document.Put(&compared)
				return nil
			}
			_, err = flags.run(command.OutOrStdout(), command.ErrOrStderr(), sectionRun{"Comparing the CPUs by", clocks, 2, measure})
			return err
		},
	}
	flags = addSectionFlags(command, 3*time.Second)
	flags.addCPUs(command)
	return command
}

// skewed are the clocks that skew compares unless it is told: a counter that waits for
// earlier instructions, and the system's.
func skewed() []clock.Clock {
	usual := []string{"LFENCE+RDTSC@cpu", "ISB+CNTVCT_EL0@cpu", "CLOCK_MONOTONIC@vdso", "QueryPerformanceCounter@winapi"}
	all := slices.DeleteFunc(clock.Catalog(), func(c clock.Clock) bool { return !slices.Contains(usual, c.ID) })
	if len(all) == 0 {
		return clock.Default()
	}
	return all
}
