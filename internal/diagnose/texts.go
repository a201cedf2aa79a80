package diagnose

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/texts"
)

//go:embed findings.txt
var findingsFile string

// entries are the texts of the findings by name.
var entries = sync.OnceValue(func() map[string]texts.Entry {
	all := map[string]texts.Entry{}
	for _, e := range texts.Entries(findingsFile) {
		all[e.Name] = e
	}
	return all
})

// A why explains what a check found: an entry of findings.txt with its figures, and evidence.
type why struct {
	title    string
	cause    string
	evidence []string
	remedies []string // names
	links    []string
}

// newWhy returns an entry of findings.txt for a machine. figures are words in braces, each with its figure.
func newWhy(s *situation.Situation, name string, figures ...string) *why {
	e, known := entries()[name]
	if !known {
		panic("no text " + name) // a mistake that a test finds
	}
	fill := strings.NewReplacer(append(figures, "{source}", s.ClockSource)...)
	all := func(key string) (values []string) {
		for _, f := range e.Fields {
			if name, facts, _ := strings.Cut(f.Key, " if "); name == key && remedy.Holds(s, facts) {
				values = append(values, fill.Replace(f.Value))
			}
		}
		return values
	}
	first := func(key string) string { return append(all(key), "")[0] }
	return &why{title: first("title"), cause: strings.Join(append([]string{first("cause")}, all("also")...), " "),
		remedies: strings.FieldsFunc(first("remedies"), func(r rune) bool { return r == ',' || r == ' ' }),
		links:    all("link")}
}

func (w *why) finding(s *situation.Situation) *result.Finding {
	return &result.Finding{Title: w.title, Evidence: w.evidence, Cause: w.cause, Remedies: remedy.For(s, w.remedies...),
		Links: w.links}
}

// newFinding returns the finding of an entry of findings.txt, without evidence.
func newFinding(s *situation.Situation, name string, figures ...string) *result.Finding {
	return newWhy(s, name, figures...).finding(s)
}
