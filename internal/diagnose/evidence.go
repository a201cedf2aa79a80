package diagnose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// kernelMessages is the page that explains the messages of the kernel.
const kernelMessages = "https://github.com/timebench/timebench/blob/main/docs/kernel-messages.md"

// rows returns evidence on clocks, with a single row for all clocks with the same story: "6 fine clocks · 1.4 µs/read ·
// every read enters the kernel".
func rows(s *situation.Situation, clocks []compare.Clock, story func(compare.Clock) string) []string {
	type group struct {
		story  string
		coarse bool
	}
	var groups []group
	members := map[group][]compare.Clock{}
	for _, c := range clocks {
		g := group{story(c), situation.IsCoarse(c)}
		if len(members[g]) == 0 {
			groups = append(groups, g)
		}
		members[g] = append(members[g], c)
	}
	var rows []string
	for _, g := range groups {
		same := members[g]
		rows = append(rows, strings.Join(words.Present(subject(s, same), cost(same...), g.story), " · "))
	}
	return rows
}

func row(c compare.Clock) string { return c.ID + " · " + cost(c) }

// subject returns the ids of clocks, or their number if they are all fine or all coarse clocks of the vDSO.
func subject(s *situation.Situation, clocks []compare.Clock) string {
	noun, is := "fine clock", situation.IsFine
	if situation.IsCoarse(clocks[0]) {
		noun, is = "coarse clock", situation.IsCoarse
	}
	all := 0
	for _, c := range s.Clocks {
		if c.Available && is(c) {
			all++
		}
	}
	if len(clocks) == all && all > 1 && !slices.ContainsFunc(clocks, func(c compare.Clock) bool { return !is(c) }) {
		return words.Plural(all, noun)
	}
	var ids []string
	for _, c := range clocks {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, ", ")
}

// cost returns the lowest and the highest cost of clocks, and the confidence interval of a single clock; "" if the
// clocks have a reason why they were not timed.
func cost(clocks ...compare.Clock) string {
	var medians []float64
	for _, c := range clocks {
		if c.Latency != nil {
			medians = append(medians, c.Latency.MedianNS)
		}
	}
	if len(medians) == 0 {
		return words.Either(clocks[0].Reason != "", "", "not timed")
	}
	text := between(slices.Min(medians), slices.Max(medians)) + "/read"
	if l := clocks[0].Latency; len(clocks) == 1 && l.Confidence > 0 {
		if words.Duration(l.LowNS) != words.Duration(l.HighNS) {
			text += " (95% CI " + between(l.LowNS, l.HighNS) + ")"
		}
	}
	return text
}

// between returns a range of durations; one figure if both ends look the same.
func between(lowNS, highNS float64) string {
	low, high := words.Duration(lowNS), words.Duration(highNS)
	return words.Either(low == high, low, low+" to "+high)
}

// fromTheLog returns the beginning of titles of findings on a document from a kernel log alone, in lower case.
func fromTheLog(s *situation.Situation) string {
	switch log := s.Host.KernelLog; {
	case log.Mixed:
		return fmt.Sprintf("from a kernel log alone, with %d boots that cannot be separated: ", log.Boots)
	case log.Boots > 1:
		return fmt.Sprintf("from a kernel log alone, the last of its %d boots: ", log.Boots)
	case s.OfPrograms():
		return "from the output of programs alone: "
	}
	return "from a kernel log alone: "
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

const (
	// onCommandLine begins evidence from the kernel command line.
	onCommandLine = "kernel command line: "
	// ofLog begins evidence from the kernel log.
	ofLog = "kernel log: "
)

// setBy explains an effect of boot parameters; nil without parameters.
func setBy(s *situation.Situation, effect string, all ...situation.Parameter) *why {
	if len(all) == 0 {
		return nil
	}
	var texts, evidence []string
	for _, p := range all {
		texts, evidence = append(texts, p.Text), append(evidence, onCommandLine+p.Text)
	}
	found := newWhy(s, "why set-by-parameter", "{effect}", effect, "{parameters}", strings.Join(texts, " "))
	found.evidence = evidence
	return found
}

const maxLogLines = 8 // the number of log lines in a finding

// alignment matches several spaces, but not in a time stamp: the kernel aligns the figures of some messages.
var alignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^ \[]) {2,}`) })

// logEvidence returns the lines of events as evidence, each once; of many, the first lines, which have the start of the
// problem.
func logEvidence(s *situation.Situation, events []kernellog.Event) []string {
	var evidence []string
	lines, of := s.Lines(events), words.Either(s.OfPrograms(), "log: ", ofLog)
	for i, line := range lines {
		if i == maxLogLines {
			return append(evidence, of+"… and "+words.Plural(len(lines)-i, "more line"))
		}
		evidence = append(evidence, of+alignment().ReplaceAllString(line, "$1 "))
	}
	return evidence
}
