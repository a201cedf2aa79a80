package cmd

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
)

// A report is where a document goes: to standard output in one format, and into the files of
// --out.
type report struct {
	stdout io.Writer
	format render.Format[*result.Document]
	files  func(*result.Document) []file
	target *target // nil without --out
}

// write writes the document. Standard output gets it even if the files cannot be written.
func (r report) write(d *result.Document) error {
	unwritten := r.target.write(r.files(d))
	if err := r.format.Write(r.stdout, d); err != nil {
		return err
	}
	return unwritten
}

// reportFlags are the flags of every command that reports results, as they were typed.
type reportFlags struct {
	format string
	out    string
}

// documentFiles are the files that --out writes for a document, for its help.
const documentFiles = "results.json, report.md, report.html and charts"

// addReportFlags adds the flags of a report to a command: its formats, and --out with its files.
func addReportFlags[T any](command *cobra.Command, flags *reportFlags, formats []render.Format[T], files string) {
	names := render.Names(formats)
	command.Flags().StringVar(&flags.format, "format", names[0], "output format: "+strings.Join(names, ", "))
	command.Flags().StringVar(&flags.out, "out", "", "also write "+files+" into this `folder` (or .zip)")
	complete(command, "format", names...)
}

// reportFiles returns the files of --out: the charts, the reports, and last the document.
func reportFiles(d *result.Document) []file {
	files, pictures := drawn(sections.Pictures(), d)
	return append(files,
		file{"report.md", func(w io.Writer) error { return render.Markdown(w, d, pictures) }},
		file{"report.html", func(w io.Writer) error { return render.HTML(w, d) }},
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
