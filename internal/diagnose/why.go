package diagnose

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/show/words"
)

// A why explains why the kernel does not use the TSC, with the remedies for that cause.
type why struct {
	cause    string
	evidence []string
	remedies []string // names
	links    []string
}

// A reason returns its explanation; nil if it does not apply.
type reason func(*situation.Situation) *why

// firstOf returns the explanation of the first reason that applies; or nil.
func firstOf(s *situation.Situation, reasons ...reason) []*why {
	for _, of := range reasons {
		if found := of(s); found != nil {
			return []*why{found}
		}
	}
	return nil
}

func joined(reasons []*why) *why {
	all := &why{}
	var causes []string
	for _, r := range reasons {
		causes = append(causes, r.cause)
		for _, line := range r.evidence {
			if !slices.Contains(all.evidence, line) {
				all.evidence = append(all.evidence, line)
			}
		}
		all.remedies = append(all.remedies, r.remedies...)
		all.links = append(all.links, r.links...)
	}
	all.cause = strings.Join(causes, " Also: ")
	return all
}

// useTSC are the names of the remedies if the kernel might use the TSC: the switch to it, and the remedies of the
// hypervisor.
var useTSC = []string{"measure-sources", "switch-to-tsc", remedy.OfHypervisor}

const (
	// onCommandLine begins evidence from the kernel command line.
	onCommandLine = "kernel command line: "
	// listed begins evidence from available_clocksource.
	listed = "available clock sources, best first: "
	// ofLog begins evidence from the kernel log.
	ofLog = "kernel log: "
)

// setBy explains an effect of boot parameters; nil without parameters.
func setBy(effect string, all ...situation.Parameter) *why {
	if len(all) == 0 {
		return nil
	}
	var texts, evidence []string
	for _, p := range all {
		texts, evidence = append(texts, p.Text), append(evidence, onCommandLine+p.Text)
	}
	return &why{
		cause:    effect + " on the kernel command line: " + strings.Join(texts, " ") + ".",
		evidence: evidence,
		remedies: append([]string{"remove-choice"}, useTSC...),
		links:    []string{kernelParameters},
	}
}

// maxLogLines is the number of log lines in a finding.
const maxLogLines = 8

// alignment matches several spaces, but not in a time stamp: the kernel aligns the figures of some messages.
var alignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^ \[]) {2,}`) })

// logEvidence returns the lines of events as evidence, each once; of many, the first lines, which have the start of the
// problem.
func logEvidence(s *situation.Situation, events []kernellog.Event) []string {
	var evidence []string
	lines := s.Lines(events)
	for i, line := range lines {
		if i == maxLogLines {
			return append(evidence, ofLog+"… and "+words.Plural(len(lines)-i, "more line"))
		}
		evidence = append(evidence, ofLog+alignment().ReplaceAllString(line, "$1 "))
	}
	return evidence
}
