package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/show/words"
)

func skewCommand() *cobra.Command {
	var flags *sectionFlags
	command := &cobra.Command{
		Use:   "skew [CLOCK...]",
		Short: "Measure the offset of a clock between CPUs",
		Long: `Skew measures the offset of a clock between pairs of CPUs, with an error bound. The two
CPUs exchange readings over a cache line that they share. The error bound is half of
the best round trip plus the resolution. With up to 16 CPUs, skew compares each with
each; with more, the first with all others.

Without CLOCK it measures the CPU's counter, if an instruction reads it in order, and the
clock that most programs read.`,
		Example: `  timebench skew
  timebench skew RDTSC@cpu --cpus 0,8,16 --duration 10s
  timebench skew --out skew/`,
		RunE: func(command *cobra.Command, selectors []string) error {
			cpus, clocks, err := flags.check(selectors, skew.DefaultClocks())
			if err != nil {
				return err
			}
			switch {
			case len(cpus) > 1:
			case flags.cpus != "":
				return fmt.Errorf("--cpus %s: skew compares CPUs; name at least two", flags.cpus)
			default:
				return couldNot(errors.New("skew compares CPUs and needs at least two; it has one"))
			}
			measure := func(ctx context.Context, document *result.Document, progress func(done, total time.Duration)) error {
				compared := skew.Run(ctx, clocks, skew.Settings{Time: flags.time, CPUs: cpus}, progress)
				document.Put(&compared)
				return nil
			}
			_, err = flags.run(command, sectionRun{
				"Measuring the skew of " + words.Plural(len(clocks), "clock"), clocks, []int{2}, flags.time, measure})
			return err
		},
	}
	flags = addClockFlags(command, 3*time.Second)
	flags.addCPUs(command)
	return command
}
