package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/sections"
)

func renderCommand() *cobra.Command {
	var name, out string
	command := &cobra.Command{
		Use:   "render FILE",
		Short: "Show a saved result again, in any format, or as charts",
		Long: `Render turns a saved result into any format that compare has, and with --out into
the report and the charts. It measures nothing: the machine of the result need not
be this one.

FILE is what compare --out left: the folder, its results.json, report.html, or a
zip; or the output of compare --format json.`,
		Example: `  timebench render report/
  timebench render report.html --format csv
  timebench render results.json --out rendered.zip`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("render takes one result; it got %d", len(args))
			}
			return nil
		},
		RunE: func(command *cobra.Command, files []string) error {
			if err := notEmpty(command, "out"); err != nil {
				return err
			}
			format, err := chosenFormat(render.Formats, name)
			if err != nil {
				return err
			}
			document, err := loadResult(files[0])
			if err != nil {
				return err
			}
			target := newTarget(out, results(sections.Commands(document)...))
			endAtSignal(target.giveUp)
			if err := target.open(); err != nil {
				return err
			}
			if err := target.write(reportFiles(document)); err != nil {
				return couldNot(err)
			}
			return couldNot(format.Write(command.OutOrStdout(), document))
		},
	}
	f := command.Flags()
	f.StringVar(&name, "format", render.Formats[0].Name, strings.Join(render.Names(render.Formats), ", "))
	f.StringVar(&out, "out", "", outHelp)
	complete(command, "format", render.Names(render.Formats)...)
	return command
}

// outHelp is what --out does, for every command that writes a report.
const outHelp = "also write results.json, report.md, report.html and charts into this `folder` (or .zip)"
