// Package render turns a result document into something to read or to feed to
// another program: a table, Markdown, CSV or JSON. It measures nothing and
// knows no clock; what is not in the document cannot be rendered.
//
// A new format is one file here and one entry in [Formats].
package render

import (
	"io"

	"github.com/timebench/timebench/internal/result"
)

// Width is the most columns of text that a table, and everything around it, takes.
const Width = 100

// A Format is one way to write a document.
type Format struct {
	Name  string
	About string
	Write func(io.Writer, *result.Document) error
}

// Formats are the formats that --format takes, the default first.
var Formats = []Format{
	{"table", "for people, within 100 columns", Table},
	{"markdown", "for a bug report", func(w io.Writer, d *result.Document) error { return Markdown(w, d, nil) }},
	{"csv", "a line for each clock and number of threads", CSV},
	{"json", "the whole document", func(w io.Writer, d *result.Document) error { return d.Write(w) }},
}

// Named returns the format of that name, and whether there is one.
func Named(name string) (Format, bool) {
	for _, format := range Formats {
		if format.Name == name {
			return format, true
		}
	}
	return Format{}, false
}

// Names returns the formats' names in order.
func Names() []string {
	names := make([]string, len(Formats))
	for i, format := range Formats {
		names[i] = format.Name
	}
	return names
}
