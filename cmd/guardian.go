package cmd

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/machine/clocksource"
)

func guardianCommand() *cobra.Command {
	return &cobra.Command{
		Use:    clocksource.GuardianCommand,
		Short:  "Restore the clock source after `compare --clocksources`",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return couldNot(clocksource.Guard(os.Stdin, os.Stdout, clocksource.Sysfs))
		},
	}
}
