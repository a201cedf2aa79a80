// Package sections lists the measurements that add a section to a result document. The
// document, its formats and the comparison of two documents use this list and know no
// measurement by name. A new measurement is a folder and a line here.
package sections

import (
	"io"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
)

// All are the kinds of sections, in the order of every report.
var All = []section.Kind{compare.Kind, counter.Kind, verify.Kind, skew.Kind, drift.Kind, wake.Kind, runtimes.Kind,
	profile.Kind}

// loader returns what loads documents with all sections.
func loader() (all result.Loader) {
	for _, kind := range All {
		all = append(all, kind.New)
	}
	return all
}

// Load reads the document in a file or folder that the user named, with its sections, as
// [result.Loader.LoadNamed] does.
func Load(name string) (*result.Document, error) { return loader().LoadNamed(name) }

// LoadUpTo is [Load] with a maximum size of the document in bytes. The user need not have named the file: see
// [result.Loader.Load]. The error for a larger document is [result.ErrTooLarge].
func LoadUpTo(name string, most int64) (*result.Document, error) { return loader().Load(name, most) }

// Read reads a document with its sections. It returns the errors of [result.Loader.Read].
func Read(r io.Reader) (*result.Document, error) { return loader().Read(r) }

// Join returns the documents of at least one run of a machine as one document, with the samples of all. Sections
// without samples come from the first run that has them. The documents are not changed.
func Join(runs []*result.Document) *result.Document {
	if len(runs) == 1 {
		return runs[0]
	}
	joined := *runs[0]
	joined.Settings.Repeat = 0
	conditions := make([]*result.Conditions, len(runs))
	for i, run := range runs {
		conditions[i] = run.Conditions
		joined.Settings.Repeat += max(1, run.Settings.Repeat)
		joined.Interrupted = joined.Interrupted || run.Interrupted
		if i > 0 {
			joined.Warnings = slices.Concat(joined.Warnings, run.Warnings)
		}
	}
	joined.Conditions = result.JoinConditions(conditions)
	seen := map[string]bool{}
	joined.Warnings = slices.DeleteFunc(slices.Clone(joined.Warnings), func(w result.Warning) bool {
		again := seen[w.Kind]
		seen[w.Kind] = true
		return again
	})
	for _, kind := range All {
		var own []result.Section
		for _, run := range runs {
			if s := run.Section(kind.Key()); s != nil {
				own = append(own, s)
			}
		}
		switch {
		case len(own) > 0 && kind.Join != nil:
			joined.Put(kind.Join(own))
		case len(own) > 0:
			joined.Put(own[0])
		}
	}
	return &joined
}

// Commands returns the commands whose results are in a document.
func Commands(d *result.Document) []string {
	var commands []string
	for _, s := range section.In(d) {
		i := slices.IndexFunc(All, func(kind section.Kind) bool { return kind.Key() == s.Key() })
		commands = append(commands, words.Present(All[i].Command)...)
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
