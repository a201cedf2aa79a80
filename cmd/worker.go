package cmd

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measure"
)

func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    measure.WorkerCommand,
		Short:  "Be one of the processes of `compare --workers processes`",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return measure.Worker(clock.Catalog(), os.Stdin, os.Stdout)
		},
	}
}
