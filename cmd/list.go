package cmd

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/report/render"
)

func listCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "list",
		Short: "List every clock of this build: available here, or why not",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := tableOrJSON(format); err != nil {
				return err
			}
			entries, err := measure.Availability(clock.Catalog())
			if err != nil {
				return couldNot(err)
			}
			if format == "json" {
				return couldNot(writeJSON(command.OutOrStdout(), entries))
			}
			sentence, clocks := compare.List(render.Clean(entries))
			return couldNot(render.Table(command.OutOrStdout(), sentence, clocks))
		},
	}
	addTableOrJSON(command, &format)
	return command
}

func addTableOrJSON(command *cobra.Command, format *string) {
	command.Flags().StringVarP(format, "format", "f", "table", "output `format`: table, json")
	complete(command, "format", "table", "json")
}

func tableOrJSON(format string) error {
	if format != "table" && format != "json" {
		return fmt.Errorf("--format %q: write table or json", format)
	}
	return nil
}

func writeJSON(w io.Writer, of any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(render.Clean(of))
}
