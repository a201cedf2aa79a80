package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
)

// reportFiles are what --out holds of a document: the pictures, the reports, and last
// the document itself.
func reportFiles(d *result.Document) []file {
	files, pictures := drawn(sections.Pictures(), d)
	return append(files,
		file{"report.md", func(w io.Writer) error { return render.Markdown(w, d, pictures) }},
		file{"report.html", func(w io.Writer) error { return render.HTML(w, d) }},
		file{"results.json", d.Write})
}

// drawn are the pictures that can be drawn: the files, and their paths.
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

// pictureFile returns the path of a chart among the files of --out.
func pictureFile(chart string) string { return "charts/" + chart + ".png" }

// chosenFormat is the format of that name.
func chosenFormat[T any](formats []render.Format[T], name string) (render.Format[T], error) {
	format, ok := render.Named(formats, name)
	if !ok {
		return format, fmt.Errorf("--format %q is not known; write %s", name, strings.Join(render.Names(formats), ", "))
	}
	return format, nil
}

// notEmpty refuses flags that were given without a value.
func notEmpty(command *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if flag := command.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty; give it a value or leave it out", name)
		}
	}
	return nil
}
