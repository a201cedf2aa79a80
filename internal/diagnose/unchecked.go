package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

// WhoReads is the question that only a profile of all programs answers.
const WhoReads = "which programs read clocks"

// questions are the questions that doctor answers, the most important first.
var questions = []struct {
	what string
	// whether the document has no answer, and why, if it has a reason
	open func(*situation.Situation) (why string, open bool)
}{
	{"what a read costs", func(s *situation.Situation) (string, bool) { return "", answering(s) == nil }},
	{"whether the CPUs have the same time", func(s *situation.Situation) (string, bool) {
		compared := skew.Of(s.Document)
		if compared == nil {
			return "", s.Host.CPU.Usable > 1
		}
		why := byItself(compared.Missing(), "skew")
		return why, why != "" && len(compared.CPUs) > 1
	}},
	{"whether clocks go backwards", func(s *situation.Situation) (string, bool) {
		v := verify.Of(s.Document)
		if v == nil {
			return "", true
		}
		why := byItself(v.Missing(), "verify")
		return why, why != ""
	}},
	{WhoReads, func(s *situation.Situation) (string, bool) {
		p := profile.Of(s.Document)
		if p == nil {
			return "", true
		}
		return strings.Join(p.Unseen, "; "), len(p.Unseen) > 0
	}},
	{"whether the TSC keeps its rate", func(s *situation.Situation) (string, bool) {
		cpu := s.Host.CPU
		return "", s.Timed("RDTSC@cpu") != nil && (cpu.TSCAsleepHz == 0 || cpu.TSCLoadedHz == 0)
	}},
	{"whether reads scale over CPUs", func(s *situation.Situation) (string, bool) {
		if s.Host.CPU.Usable < 2 || answering(s) == nil {
			return "", false
		}
		if !slices.ContainsFunc(s.Clocks, func(c compare.Clock) bool {
			_, _, known := gain(c)
			return known && situation.IsEveryday(c)
		}) {
			return "", true
		}
		if w := disturbance(s); w != nil {
			return w.Saw, true
		}
		return "", false
	}},
	{"how fine the clocks are", func(s *situation.Situation) (string, bool) {
		c := answering(s)
		return "", c != nil && c.Resolution == nil
	}},
	{"how late an idle CPU wakes up", func(s *situation.Situation) (string, bool) {
		why := wakeOf(s).NoIdleLayer
		return why, why != "" || s.OnLinux() && len(sleeps(s)) == 0
	}},
	{"what the kernel log shows", func(s *situation.Situation) (string, bool) {
		log := s.Host.KernelLog
		if log == nil {
			return "", false
		}
		// The facts have the whole reason, with all files and the remedy.
		why, _, _ := strings.Cut(log.Reason, ";")
		return why, log.Reason != ""
	}},
}

// byItself returns a reason of a measurement with the command that has more time for it.
func byItself(why, command string) string {
	return strings.ReplaceAll(why, "use a longer --duration", "run `timebench "+command+"`")
}

// NotChecked returns the questions that the document of a measurement does not answer. why is the reason if the
// document shows no reason. Questions that the document lists keep their reasons.
func NotChecked(d *result.Document, why string) []result.NotChecked {
	s, listed := situation.Of(d), d.NotChecked
	if s.Unmeasured() {
		return listed
	}
	for _, q := range questions {
		if slices.ContainsFunc(d.NotChecked, func(n result.NotChecked) bool { return n.What == q.what }) {
			continue
		}
		if because, open := q.open(s); open {
			listed = append(listed, result.NotChecked{What: q.what, Why: cmp.Or(because, why)})
		}
	}
	return listed
}

// Unchecked returns the questions that were not checked, and joins the questions with the same reason: "a and b".
func Unchecked(d *result.Document) (all []result.NotChecked) {
	s, seen := situation.Of(d), map[string]bool{}
	if s.LogOnly() && len(d.Findings) > 0 && d.Findings[0].Severity != result.Note { // other texts quote them
		if lines := kernellog.Unjudged(s.Host.KernelLog.Lines); len(lines) > 0 {
			all = append(all, result.NotChecked{What: "what these lines show", Why: "they are unknown: " + quoted(lines)})
		}
	}
	for _, n := range d.NotChecked {
		if seen[n.Why] {
			continue
		}
		seen[n.Why] = true
		var same []string
		for _, other := range d.NotChecked {
			if other.Why == n.Why {
				same = append(same, other.What)
			}
		}
		all = append(all, result.NotChecked{What: words.List(same), Why: n.Why})
	}
	return all
}
