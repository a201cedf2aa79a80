package cmd

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/printable"
)

func envCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "env",
		Short: "Show the facts of this machine that matter to its clocks",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("--format %q: write table or json", format)
			}
			facts := host.Facts()
			facts.CPU.TSCHz = tscHz(nil)
			if format == "table" {
				return couldNot(render.Facts(command.OutOrStdout(), facts))
			}
			encoder := json.NewEncoder(printable.JSON(command.OutOrStdout()))
			encoder.SetIndent("", "  ")
			return couldNot(encoder.Encode(facts))
		},
	}
	command.Flags().StringVarP(&format, "format", "f", "table", "output format: table, json")
	complete(command, "format", "table", "json")
	return command
}
