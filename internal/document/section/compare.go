package section

import (
	"fmt"
	"slices"
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
	MinChange float64 `json:"min_change"`
}

// Usual are the settings if none are given.
var Usual = Settings{MinChange: 0.02}

// A Coverage is the parts of a section that only one of two documents has.
type Coverage struct {
	// OnlyIn is old or new if the other document lacks the section; empty if both have it.
	OnlyIn string `json:"only_in,omitempty"`
	// OnlyOld and OnlyNew are the subjects that could be compared in one document only.
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
}

// Absent returns the sentence for a section that one document lacks.
func (c Coverage) Absent() string { return "Only the " + c.OnlyIn + " document has this." }

// Notes returns lines with the subjects that one document lacks.
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
	// Value is the JSON value under the section's key in a diff. For a section without a key, it is a pointer to a
	// struct whose keys are among the keys of the diff.
	Value Figures
	// Settings are the settings of the measurement that differ.
	Settings []Difference
	// Block has the tables and sentences.
	Block table.Block
}

// Figures are the figures that both documents have.
type Figures interface {
	// Count returns the number of figures, and how many of them changed.
	Count() (all, changed int)
	// CSV returns a line for each figure, the header first. key is the key of the section.
	CSV(key string) [][]string
}

// A Difference is a fact or a setting that differs between the documents; "" if one does not have it.
type Difference struct {
	What string `json:"what"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Differing returns the differences among pairs of values.
func Differing(all ...Difference) []Difference {
	return slices.DeleteFunc(all, func(d Difference) bool { return d.Old == d.New })
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
		return fmt.Sprintf("Nothing changed%s in %s.", rule, words.Plural(of, noun))
	default:
		return fmt.Sprintf("%d of %s changed%s.", n, words.Plural(of, noun), rule)
	}
}
