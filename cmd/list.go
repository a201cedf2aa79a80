package cmd

import (
	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/report/render"
)

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every clock of this build: available here, or why not",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			entries, err := availability(clock.Catalog())
			if err != nil {
				return couldNot(err)
			}
			return couldNot(render.List(command.OutOrStdout(), entries))
		},
	}
}

// availability returns an entry for each clock: available here, or why not.
func availability(clocks []clock.Clock) ([]compare.Clock, error) {
	entries := make([]compare.Clock, 0, len(clocks))
	err := thread.Run(thread.Any, func() {
		for _, c := range clocks {
			entry := compare.Clock{ID: c.ID, Call: c.Call, Path: string(c.Path), Kind: string(c.Kind), TicksPerSecond: c.Hz, Available: true}
			if _, err := c.Open(); err != nil {
				entry.Available, entry.Reason = false, err.Error()
			}
			entries = append(entries, entry)
		}
	})
	return entries, err
}
