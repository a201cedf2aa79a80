package cmd

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/system/signals"
)

func workerCommand() *cobra.Command {
	var threads int
	command := &cobra.Command{
		Use:    measure.WorkerCommand,
		Short:  "Run as a worker of `compare --workers processes`",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if threads > 0 {
				measure.HoldThreads(threads)
				return nil
			}
			// The process that started the workers ends them.
			signals.Ignore()
			return measure.Worker(clock.Catalog(), os.Stdin, os.Stdout)
		},
	}
	command.Flags().IntVar(&threads, measure.HoldFlag, 0, "start this many threads, and end")
	return command
}
