package diagnose

import (
	"cmp"
	_ "embed"
	"slices"
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
	severity string
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
	e = remedy.Fitting(s, e)
	byHypervisor, unread, noLog := "", "", "is missing"
	if h := remedy.HypervisorOf(s); h.Name != "" {
		byHypervisor = "In a virtual machine, the hypervisor decides this. " + h.Get("invariant")
	}
	if log := s.Host.KernelLog; log != nil {
		unread, noLog = log.Reason, "could not be read"
	}
	fill := strings.NewReplacer(append(figures, "{source}", s.ClockSource, "{sources}", strings.Join(s.ClockSources, " "),
		"{flags}", flags(s), "{unread}", unread, "{no log}", noLog, "{by the hypervisor}", byHypervisor)...).Replace
	sentences := append([]string{e.Get("cause")}, e.All("also")...)
	w := &why{severity: e.Get("severity"), title: fill(e.Get("title")), cause: strings.TrimSpace(fill(strings.Join(sentences, " "))),
		remedies: e.List("remedies"), links: e.All("link")}
	for _, line := range e.All("evidence") {
		w.evidence = append(w.evidence, fill(line))
	}
	return w
}

// because adds the remedies of a reason, before the others, and its links.
func (w *why) because(reason *why) *why {
	w.remedies = slices.Concat(reason.remedies, w.remedies)
	w.links = distinct(w.links, reason.links)
	return w
}

func (w *why) finding(s *situation.Situation) *result.Finding {
	return &result.Finding{Severity: w.severity, Title: w.title, Evidence: w.evidence, Cause: w.cause, Remedies: remedy.For(s, w.remedies...),
		Links: w.links}
}

// foundBy returns the finding of an entry of findings.txt.
func foundBy(s *situation.Situation, evidence []string, name string, figures ...string) *result.Finding {
	finding := newWhy(s, name, figures...).finding(s)
	finding.Evidence = append(evidence, finding.Evidence...)
	return finding
}

func distinct(links ...[]string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(links...))))
}

func flags(s *situation.Situation) string {
	return cmp.Or(strings.Join(s.Host.CPU.TSCFlags, " "), "none of constant_tsc, nonstop_tsc, tsc_reliable")
}
