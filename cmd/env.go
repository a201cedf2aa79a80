package cmd

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/report/render"
)

func envCommand() *cobra.Command {
	return showing("env", "Show the facts of this machine that matter to its clocks", func(w io.Writer, asJSON bool) error {
		facts := host.Facts()
		facts.CPU.TSCHz = examine.TSCHz(nil)
		if asJSON {
			return writeJSON(w, facts)
		}
		return render.Facts(w, render.Clean(facts))
	})
}
