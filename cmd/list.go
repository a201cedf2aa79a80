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
	return showing("list", "List every clock of this build: available here, or why not", func(w io.Writer, asJSON bool) error {
		entries, err := measure.Availability(clock.Catalog())
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(w, entries)
		}
		sentence, clocks := compare.List(render.Clean(entries))
		return render.Table(w, sentence, clocks)
	})
}

// showing returns a command that shows something as a table or as JSON.
func showing(use, short string, show func(w io.Writer, asJSON bool) error) *cobra.Command {
	var format string
	command := &cobra.Command{Use: use, Short: short, Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("--format %q: write table or json", format)
			}
			return couldNot(show(command.OutOrStdout(), format == "json"))
		},
	}
	command.Flags().StringVarP(&format, "format", "f", "table", "output `format`: table, json")
	complete(command, "format", "table", "json")
	return command
}

func writeJSON(w io.Writer, of any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(render.Clean(of))
}
