package cmd

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/picture"
)

// A report writes a document or a diff: to standard output in one format, and as the files of --out.
type report[T any] struct {
	stdout io.Writer
	format render.Format[T]
	files  func(T) []file
	target *target // nil without --out
	labels []string
	// command is the one that measures; "" if nothing is measured.
	command string
}

// measuring completes the report of a command that measures with its labels and its target.
func (flags reportFlags) measuring(to report[*result.Document], command string) (report[*result.Document], error) {
	labels, err := flags.labelled()
	to.labels, to.command, to.target = labels, command, newTarget(flags.out, resultSet(command))
	return to, err
}

// write writes a document or a diff. It writes to standard output even if it cannot write the files.
func (r report[T]) write(d T) error {
	unwritten := r.target.write(r.files(d))
	return errors.Join(r.format.Write(r.stdout, d), unwritten)
}

// reportLoaded reports what was loaded and not measured here. A signal ends the process at once.
func reportLoaded[T any](to report[T], d T) error {
	if err := to.begin(); err != nil {
		return err
	}
	return couldNot(to.write(d))
}

// begin makes the folder of --out for a report of what was loaded.
func (r report[T]) begin() error {
	endAtSignal(r.target.abandonAtExit)
	return r.target.open()
}

// reportFlags are the flags of every command that reports results, as they were typed.
type reportFlags struct {
	format string
	out    string
	labels []string
}

// documentFiles are the files that --out writes for a document, for its help.
const documentFiles = "results.json, report.md, report.html and charts"

// addReportFlags adds the flags of a report to a command: its formats, and --out with its files.
func addReportFlags[T any](command *cobra.Command, flags *reportFlags, formats []render.Format[T], files string) {
	names := render.Names(formats)
	command.Flags().StringVarP(&flags.format, "format", "f", names[0], "output format: "+strings.Join(names, ", "))
	command.Flags().StringVarP(&flags.out, "out", "o", "", "also write "+files+" into this `folder` (or .zip)")
	complete(command, "format", names...)
}

// reportFiles returns the files of --out: the charts, the reports, and last the document.
func reportFiles(d *result.Document) []file {
	files, pictures := drawn(sections.Pictures(), d)
	return append(files,
		file{"report.md", func(w io.Writer) error { return render.OfDocument(d).Markdown(w, pictures) }},
		file{"report.html", func(w io.Writer) error { return render.OfDocument(d).HTML(w) }},
		file{"results.json", d.Write})
}

// drawn returns the files and the paths of the charts that have data.
func drawn[T any](charts []picture.Chart[T], of T) (files []file, paths []string) {
	for _, c := range charts {
		if c.Drawable(of) {
			path := pictureFile(c.Name)
			files = append(files, file{path, func(w io.Writer) error { return c.PNG(w, of) }})
			paths = append(paths, path)
		}
	}
	return files, paths
}

// pictureFile returns the path of a chart in the folder of --out.
func pictureFile(chart string) string { return "charts/" + chart + ".png" }
