package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/report/files"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/system/signals"
	"github.com/timebench/timebench/internal/system/terminal"
)

// A report writes a document or a diff: to standard output in one format, and as the files of --out.
type report[T any] struct {
	stdout, stderr io.Writer
	format         render.Format[T]
	quiet          bool
	files          func(T) []files.File
	target         *files.Target // nil without --out
	labels         []string
	// command is the measuring command; "" without a measurement.
	command string
}

// newReport returns the report of the flags in one of the formats. measuring is the command that measures, whose labels
// and files of --out it adds; "" for another command, which adds the files itself.
func newReport[T any](stdout, stderr io.Writer, flags reportFlags, formats []render.Format[T], of func(T) []files.File,
	measuring string) (to report[T], err error) {
	to = report[T]{stdout: stdout, stderr: stderr, quiet: flags.quiet, files: of, command: measuring}
	if to.format, err = chosenFormat(formats, flags); err == nil && measuring != "" {
		to.target = files.NewTarget(flags.out, files.Results(measuring))
		to.labels, err = flags.labelled()
	}
	return to, err
}

// write writes a document or a diff. It writes to standard output even if it cannot write the files.
func (r report[T]) write(d T) error {
	d = render.Clean(d) // the one place that every document, diff and fleet passes
	written := r.files(d)
	unwritten := r.target.Write(written)
	below := ""
	if unwritten == nil && !r.quiet && r.target != nil {
		below = table.Indented(r.target.Written(written), 0, terminal.Width(r.stderr))
	}
	err := errors.Join(r.format.Write(above(r.stdout, below), d), unwritten)
	if err == nil {
		_, _ = io.WriteString(r.stderr, below)
	}
	return err
}

// reportLoaded reports loaded results. A signal ends the process at once.
func reportLoaded[T any](to report[T], d T) error {
	if err := to.begin(); err != nil {
		return err
	}
	return couldNot(to.write(d))
}

// begin checks --out before a report of loaded results.
func (r report[T]) begin() error {
	signals.End(r.target.Finish)
	return refused(r.target.Check())
}

// reportFlags are the flags of every command that reports results, as they were typed.
type reportFlags struct {
	format string
	out    string
	quiet  bool
	// verbose is whether text is not shortened.
	verbose bool
	labels  []string
}

// documentFiles are the files that --out writes for a document, for its help.
const documentFiles = "results.json, report.md, report.html and charts"

// addReportFlags adds the flags of a report to a command: its formats, and --out with its files.
func addReportFlags[T any](command *cobra.Command, flags *reportFlags, formats []render.Format[T], written string) {
	names := render.Names(formats)
	command.Flags().StringVarP(&flags.format, "format", "f", names[0], "output `format`: "+strings.Join(names, ", "))
	command.Flags().StringVarP(&flags.out, "out", "o", "", "also write "+written+" into this `folder` (or .zip)")
	command.Flags().BoolVarP(&flags.quiet, "quiet", "q", false, "show neither progress nor which files were written")
	command.Flags().BoolVarP(&flags.verbose, "verbose", "v", false,
		"show everything: all findings, tables, columns and facts")
	complete(command, "format", names...)
}

// labelsVariable is the environment variable with the labels of all runs, between commas.
const labelsVariable = "TIMEBENCH_LABELS"

func addLabelFlag(command *cobra.Command, flags *reportFlags) {
	command.Flags().StringArrayVar(&flags.labels, "label", nil,
		"put this `key=value` into the document, such as host=web1; may be repeated (also "+labelsVariable+
			", between commas)")
}

// labelled returns the labels of the command line, or else of the environment.
func (flags *reportFlags) labelled() ([]string, error) {
	labels, from := flags.labels, "--label"
	if len(labels) == 0 {
		from = labelsVariable
		for label := range strings.SplitSeq(os.Getenv(labelsVariable), ",") {
			if label = strings.TrimSpace(label); label != "" {
				labels = append(labels, label)
			}
		}
	}
	if err := result.CheckLabels(labels); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return labels, nil
}
