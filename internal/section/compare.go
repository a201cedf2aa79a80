package section

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// The values of Coverage.OnlyIn: which document has a section that the other lacks.
const (
	InOld = "old"
	InNew = "new"
)

// A Coverage is what of a section of two documents can be compared.
type Coverage struct {
	// OnlyIn is old or new where the other document lacks the section; empty where both
	// have it.
	OnlyIn string `json:"only_in,omitempty"`
	// OnlyOld and OnlyNew are the clocks that could be compared in one document only.
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
}

// Covered returns the coverage of a section that the old document, the new one, or both
// have.
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

// Absent returns the sentence that one of the documents lacks the section.
func (c Coverage) Absent() string { return "Only the " + c.OnlyIn + " document has this." }

// Notes list the clocks that one of the documents lacks.
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
	// Value is what the JSON of a diff has under the section's key.
	Value any
	// Settings are those of the measurement that are not the same.
	Settings []Setting
	// Block is what is shown of it.
	Block table.Block
	// Changes has an entry for each figure that both documents have.
	Changes []Change
}

// A Setting is a choice that two runs were made with, and differently.
type Setting struct{ What, Old, New string }

// A Change is one figure in both documents, as the CSV of a diff has it.
type Change struct {
	Clock string
	What  string
	// Old and New are the figures, with error bounds and unit where they have such.
	Old, OldBound, New, NewBound, Unit string
	Changed                            bool
}

// Changed counts the changes that are such.
func (c Comparison) Changed() int {
	n := 0
	for _, change := range c.Changes {
		if change.Changed {
			n++
		}
	}
	return n
}

// Differing returns the settings of which the values differ.
func Differing(all ...Setting) []Setting {
	var some []Setting
	for _, s := range all {
		if s.Old != s.New {
			some = append(some, s)
		}
	}
	return some
}

// Match calls both for what stands in both lists under one name, and returns the names
// that stand in one of them.
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

// Verdict returns how many of some things changed, as a sentence. rule is by what they are
// judged, with a space before it.
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

// SameOrChanged returns the verdict on a figure that has no better and no worse.
func SameOrChanged(changed bool) string {
	if changed {
		return "changed"
	}
	return "same"
}
