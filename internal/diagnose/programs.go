package diagnose

import (
	"fmt"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/show/words"
)

// NamedShare is the min part of its CPU time that a named program spends on reading clocks. The lower end of the
// confidence interval counts.
const NamedShare = 0.02

const (
	// heavyShare is the min part that is a warning even if the reads are fast.
	heavyShare = 0.1
	// A program must have this CPU time on reads, in CPUs, and this number of samples: a few may be an accident.
	namedCPUs    = 0.0005
	namedSamples = 10
	mostPrograms = 10
)

func programsAbove(s *situation.Situation, share float64) []profile.Process {
	profiled := profile.Of(s.Document)
	if profiled == nil {
		return nil
	}
	var above []profile.Process
	for _, p := range profiled.Processes {
		heavy := p.ClockShare != nil && p.ClockShareLow > share && p.ClockCPUs >= namedCPUs && p.Samples >= namedSamples
		if heavy && len(above) < mostPrograms {
			above = append(above, p)
		}
	}
	return above
}

func shares(programs []profile.Process) []string {
	var sentences []string
	for _, p := range programs {
		text := fmt.Sprintf("%s (pid %d) spends %s of its CPU time on reading clocks (95%% CI: %s to %s)",
			p.Command, p.PID, words.Percent(*p.ClockShare), words.Percent(p.ClockShareLow), words.Percent(p.ClockShareHigh))
		if p.ReadsPerSecond > 0 {
			text += ", with about " + words.Rate(p.ReadsPerSecond)
		}
		sentences = append(sentences, text)
	}
	return sentences
}

func heavyReaders(s *situation.Situation) *result.Finding {
	heavy, severity := programsAbove(s, heavyShare), result.Warn
	if len(heavy) == 0 {
		heavy, severity = programsAbove(s, NamedShare), result.Note
	}
	if len(heavy) == 0 {
		return nil
	}
	why := heavyKindOf(s, heavy[0])
	remedies := remedy.For(s, "find-callers")
	if why.coarse {
		remedies = append(remedies, remedy.Coarse(s)...)
	}
	return &result.Finding{
		Severity: severity,
		Title: fmt.Sprintf("%s spends %s of its CPU time on reading clocks", heavy[0].Command,
			words.Percent(*heavy[0].ClockShare)),
		Evidence: shares(heavy),
		Cause:    newWhy(s, why.text).cause,
		Remedies: remedies,
	}
}

// A heavyKind is a use of clocks on which a program spends most of the time of its reads. part returns the share of
// that use; text is the entry of findings.txt; coarse is whether a coarse clock can replace the clock.
type heavyKind struct {
	part   func(profile.Process) float64
	text   string
	coarse bool
}

var heavyKinds = []heavyKind{
	{func(p profile.Process) float64 { return p.SyscallShare }, "heavy-readers syscall", true},
	{func(p profile.Process) float64 { return p.KernelShare }, "heavy-readers kernel", false},
	{func(p profile.Process) float64 { return p.UserShare }, "heavy-readers user", true},
}

// heavyKindOf returns why a program spends much time on reads. If it is unknown whether the fine clocks are read in
// user mode, the reason is only that there are many reads.
func heavyKindOf(s *situation.Situation, p profile.Process) heavyKind {
	if profile.Of(s.Document).KernelEntry == result.Never {
		for _, k := range heavyKinds {
			if k.part(p) > *p.ClockShare/2 {
				return k
			}
		}
	}
	return heavyKind{text: "heavy-readers", coarse: true}
}
