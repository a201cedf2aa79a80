// Package sections lists the measurements that add a section to a result document. The
// document, its formats and the comparison of two documents use this list and know no
// measurement by name. A new measurement is a folder and a line here.
package sections

import (
	"io"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/drift"
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/profile"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/runtimes"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/skew"
	"github.com/timebench/timebench/internal/verify"
)

// All are the kinds of sections, in the order of every report.
var All = []section.Kind{compare.Kind, verify.Kind, skew.Kind, drift.Kind, runtimes.Kind, profile.Kind}

// kinds are the kinds that package result needs to read a document.
var kinds = func() []result.Kind {
	var all []result.Kind
	for _, kind := range All {
		all = append(all, kind.Kind)
	}
	return all
}()

// Load reads the document in a file or folder, with its sections. Its errors are those of
// [result.Load].
func Load(name string) (*result.Document, error) { return result.Load(name, kinds...) }

// Read reads a document with its sections. Its errors are those of [result.Read].
func Read(r io.Reader) (*result.Document, error) { return result.Read(r, kinds...) }

// Commands returns the commands whose results are in a document.
func Commands(d *result.Document) []string {
	var commands []string
	for _, s := range section.In(d) {
		for _, kind := range All {
			if kind.Key == s.Key() {
				commands = append(commands, kind.Command)
			}
		}
	}
	return commands
}

// Pictures returns the pictures of all kinds of sections, in the order of a report.
func Pictures() []picture.Chart[*result.Document] {
	var all []picture.Chart[*result.Document]
	for _, kind := range All {
		all = append(all, kind.Pictures...)
	}
	return all
}
