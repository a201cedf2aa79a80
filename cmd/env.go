package cmd

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/host"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
)

// timeStampCounter is the clock that tells the TSC's rate.
const timeStampCounter = "RDTSC@cpu"

func envCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "env",
		Short: "Show the facts of this machine that bear on its clocks",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("--format %q is not known; env takes table or json", format)
			}
			facts := host.Facts()
			facts.CPU.TSCHz = tscHz(nil)
			if format == "table" {
				return couldNot(render.Facts(command.OutOrStdout(), facts))
			}
			encoder := json.NewEncoder(command.OutOrStdout())
			encoder.SetIndent("", "  ")
			return couldNot(encoder.Encode(facts))
		},
	}
	command.Flags().StringVar(&format, "format", "table", "table or json")
	complete(command, "format", "table", "json")
	return command
}

// tscHz returns the rate of the time stamp counter in whole ticks a second: what
// a run measured, or else what a tenth of a second shows; 0 where there is none.
func tscHz(measured []result.Clock) float64 {
	for _, c := range measured {
		if c.ID == timeStampCounter && c.TicksPerSecond > 0 {
			return math.Round(c.TicksPerSecond)
		}
	}
	for _, c := range clock.Catalog() {
		if c.ID == timeStampCounter {
			return math.Round(measure.Hz(c, 100*time.Millisecond))
		}
	}
	return 0
}
