package cmd

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/machine/clocksource"
)

func guardianCommand() *cobra.Command {
	return &cobra.Command{
		Use:    clocksource.GuardianCommand + " CLOCKSOURCE",
		Short:  "Restore the clock source after `compare --clocksources`",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return couldNot(clocksource.Guard(os.Stdin, os.Stdout, clocksource.Sysfs, args[0]))
		},
	}
}
