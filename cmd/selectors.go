package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
)

const allHelp = "measure every clock of this build"

// chosen returns the clocks that the command line names: the whole catalogue, the matches of the selectors, or else the
// usual clocks.
func chosen(all bool, selectors []string, usual []clock.Clock) ([]clock.Clock, error) {
	switch {
	case all && len(selectors) > 0:
		return nil, fmt.Errorf("--all takes every clock; leave out %s", strings.Join(selectors, " "))
	case all:
		return clock.Catalog(), nil
	case len(selectors) > 0:
		return clock.Select(clock.Catalog(), selectors)
	default:
		return usual, nil
	}
}

func completeSelectors(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, c := range clock.Catalog() {
		all = append(all, c.ID, "@"+string(c.Path))
	}
	slices.Sort(all)
	return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
}
