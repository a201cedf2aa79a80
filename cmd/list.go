package cmd

import (
	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
)

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every clock that this build knows: available here, or why not",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			entries, err := tried(clock.Catalog())
			if err != nil {
				return couldNot(err)
			}
			return couldNot(render.List(command.OutOrStdout(), entries))
		},
	}
}

// tried says of each clock whether it is available here, or why not.
func tried(clocks []clock.Clock) ([]result.Clock, error) {
	entries := make([]result.Clock, 0, len(clocks))
	err := thread.Run(thread.Any, func() {
		for _, c := range clocks {
			entry := result.Clock{ID: c.ID, Call: c.Call, Path: string(c.Path), Kind: string(c.Kind), TicksPerSecond: c.Hz, Available: true}
			if _, err := c.Open(); err != nil {
				entry.Available, entry.Reason = false, err.Error()
			}
			entries = append(entries, entry)
		}
	})
	return entries, err
}
