// Package sections lists the measurements that add a section to a result document. The
// document, its formats and the comparison of two documents use this list and know no
// measurement by name. A new measurement is a folder and a line here.
package sections

import (
	"io"
	"sync"

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

// loader loads documents with all sections. It is made when it is first needed, since most commands
// load nothing.
var loader = sync.OnceValue(func() *result.Loader {
	var kinds []result.Kind
	for _, kind := range All {
		kinds = append(kinds, kind.Kind)
	}
	return result.NewLoader(kinds...)
})

// Load reads the document in a file or folder, with its sections. Its errors are those of
// [result.Loader.Load].
func Load(name string) (*result.Document, error) { return LoadUpTo(name, result.MaxSize) }

// LoadUpTo is [Load] of a document of at most so many bytes. The error for a larger one is
// [result.ErrTooLarge].
func LoadUpTo(name string, most int64) (*result.Document, error) { return loader().Load(name, most) }

// Read reads a document with its sections. Its errors are those of [result.Loader.Read].
func Read(r io.Reader) (*result.Document, error) { return loader().Read(r) }

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
