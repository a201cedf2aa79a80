package cmd

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
)

func renderCommand() *cobra.Command {
	var flags reportFlags
	command := &cobra.Command{
		Use:   "render FILE",
		Short: "Show a saved result in any format, or as a report with charts",
		Long: `Render shows a saved result in any format of compare. With --out it writes the report
and the charts. It measures nothing, so the result may be of another machine.

FILE is what --out wrote (the folder, its results.json, report.html, or a zip), or the
output of --format json.`,
		Example: `  timebench render report/
  timebench render report.html --format csv
  timebench render results.json --out rendered.zip`,
		Args: func(command *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return cmp.Or(misread(command), fmt.Errorf("render takes one result; it got %d", len(args)))
		},
		RunE: func(command *cobra.Command, args []string) error {
			to, err := newReport(command.OutOrStdout(), command.ErrOrStderr(), flags, render.Formats, files.OfDocument, "")
			if err != nil {
				return err
			}
			document, err := loadResult(args[0])
			if err != nil {
				return err
			}
			to.target = files.NewTarget(flags.out, files.Results(files.MeasuredBy(document)...))
			return reportLoaded(to, document)
		},
	}
	addReportFlags(command, &flags, render.Formats, documentFiles)
	return command
}
