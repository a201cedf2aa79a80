package cmd

import (
	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/report/render"
)

func envCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "env",
		Short: "Show the facts of this machine that matter to its clocks",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := tableOrJSON(format); err != nil {
				return err
			}
			facts := host.Facts()
			facts.CPU.TSCHz = examine.TSCHz(nil)
			if format == "table" {
				return couldNot(render.Facts(command.OutOrStdout(), render.Clean(facts)))
			}
			return couldNot(writeJSON(command.OutOrStdout(), facts))
		},
	}
	addTableOrJSON(command, &format)
	return command
}
