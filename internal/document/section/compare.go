package section

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The values of Coverage.OnlyIn: the document that has the section if the other lacks it.
const (
	InOld = "old"
	InNew = "new"
)

// Settings are the settings of a comparison of two documents.
type Settings struct {
	// MinChange is the smallest change that counts, as a share: 0.02 is 2 %.
	MinChange float64 `json:"least_change"`
}

// Usual are the settings if none are given.
var Usual = Settings{MinChange: 0.02}

// A Coverage is the parts of a section that only one of two documents has.
type Coverage struct {
	// OnlyIn is old or new if the other document lacks the section; empty if both have it.
	OnlyIn string `json:"only_in,omitempty"`
	// OnlyOld and OnlyNew are the clocks that could be compared in one document only.
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
}

// Covered returns the coverage of a section; old and new are whether each document has it.
func Covered(old, new bool) Coverage {
	switch {
	case old && !new:
		return Coverage{OnlyIn: InOld}
	case new && !old:
		return Coverage{OnlyIn: InNew}
	default:
		return Coverage{}
	}
}

// Absent returns the sentence for a section that one document lacks.
func (c Coverage) Absent() string { return "Only the " + c.OnlyIn + " document has this." }

// Notes returns lines with the clocks that one document lacks.
func (c Coverage) Notes() []string {
	var notes []string
	for _, side := range []struct {
		name string
		ids  []string
	}{{"Only in the old: ", c.OnlyOld}, {"Only in the new: ", c.OnlyNew}} {
		if len(side.ids) > 0 {
			notes = append(notes, side.name+strings.Join(side.ids, ", "))
		}
	}
	return notes
}

// A Comparison is what changed between the same section of two documents.
type Comparison struct {
	// Value is the JSON value under the section's key in a diff. That of an inline section is a
	// pointer to a struct, whose keys are among those of the diff.
	Value any
	// Settings are the settings of the measurement that differ.
	Settings []Setting
	// Block has the tables and sentences.
	Block table.Block
	// Changes has an entry for each figure that both documents have.
	Changes []Change
	// Lines are the figures as CSV, the header first, if they have other columns than a
	// Change.
	Lines [][]string
}

// CSV returns the figures as CSV, the header first. key is the key of the section.
func (c Comparison) CSV(key string) [][]string {
	if c.Lines != nil {
		return c.Lines
	}
	lines := [][]string{{"part", "clock", "what", "old", "old_bound", "new", "new_bound", "unit", "verdict"}}
	for _, of := range c.Changes {
		lines = append(lines, []string{key, of.Clock, of.What, of.Old, of.OldBound, of.New, of.NewBound, of.Unit, SameOrChanged(of.Changed)})
	}
	return lines
}

// A Setting is a setting of a measurement, with its values in both documents.
type Setting struct{ What, Old, New string }

// A Change is one figure in both documents, as in the CSV of a diff.
type Change struct {
	Clock string
	What  string
	// Old and New are the figures; the bounds and the unit are empty if there are none.
	Old, OldBound, New, NewBound, Unit string
	Changed                            bool
}

// Changed returns the number of figures that changed.
func (c Comparison) Changed() int {
	n := 0
	for _, change := range c.Changes {
		if change.Changed {
			n++
		}
	}
	return n
}

// Differing returns the settings whose values differ.
func Differing(all ...Setting) []Setting {
	var some []Setting
	for _, s := range all {
		if s.Old != s.New {
			some = append(some, s)
		}
	}
	return some
}

// Match calls both for each pair of elements with the same name. It returns the names that
// are in one list only.
func Match[T any](old, new []T, name func(T) string, both func(old, new T)) (onlyOld, onlyNew []string) {
	index := map[string]int{}
	for i, n := range new {
		index[name(n)] = i
	}
	seen := map[string]bool{}
	for _, o := range old {
		if i, ok := index[name(o)]; ok {
			both(o, new[i])
		} else {
			onlyOld = append(onlyOld, name(o))
		}
		seen[name(o)] = true
	}
	for _, n := range new {
		if !seen[name(n)] {
			onlyNew = append(onlyNew, name(n))
		}
	}
	return onlyOld, onlyNew
}

// Verdict returns a sentence with the number of figures that changed. rule is the criterion,
// with a leading space.
func Verdict(n, of int, noun, rule string) string {
	switch {
	case of == 0:
		return "There is no " + noun + " that both have."
	case n == 0:
		return fmt.Sprintf("Nothing changed%s, in %s.", rule, words.Plural(of, noun))
	default:
		return fmt.Sprintf("%d of %s changed%s.", n, words.Plural(of, noun), rule)
	}
}

// SameOrChanged returns the verdict on a figure that cannot be better or worse.
func SameOrChanged(changed bool) string {
	if changed {
		return "changed"
	}
	return "same"
}
