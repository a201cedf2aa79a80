package diagnose

import (
	"fmt"

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
	// namedCPUs and namedSamples are the min CPU time on reads, in CPUs, and the min number of samples of a program that
	// is named: a few samples may be an accident. heavyCPUs is the min CPU time for a warning: fewer reads of a program
	// that hardly runs save nothing.
	namedCPUs    = 0.0005
	heavyCPUs    = 0.02
	namedSamples = 10
	mostPrograms = 10
)

// isTimebench reports whether a program is another run of timebench: a measurement reads clocks, which is no fault.
func isTimebench(p profile.Process) bool { return p.Command == "timebench" }

func programsAbove(s *situation.Situation, share, cpus float64) []profile.Process {
	profiled := profile.Of(s.Document)
	if profiled == nil {
		return nil
	}
	var above []profile.Process
	for _, p := range profiled.Processes {
		heavy := p.ClockShare != nil && p.ClockShareLow > share && p.ClockCPUs >= cpus && p.Samples >= namedSamples &&
			!isTimebench(p)
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
	heavy, severity := programsAbove(s, heavyShare, heavyCPUs), result.Warn
	if len(heavy) == 0 {
		heavy, severity = programsAbove(s, NamedShare, namedCPUs), result.Note
	}
	if len(heavy) == 0 {
		return nil
	}
	finding := foundBy(s, shares(heavy), heavyUse(s, heavy[0]), "{program}", heavy[0].Command, "{share}",
		words.Percent(*heavy[0].ClockShare))
	finding.Severity = severity
	return finding
}

// heavyUse returns the name of the text on the use of clocks on which a program spends most of the time of its reads.
// If it is unknown whether the fine clocks are read in user mode, the reason is only that there are many reads.
func heavyUse(s *situation.Situation, p profile.Process) string {
	most := *p.ClockShare / 2
	switch {
	case profile.Of(s.Document).KernelEntry != result.Never:
	case p.SyscallShare > most:
		return "heavy-readers syscall"
	case p.KernelShare > most:
		return "heavy-readers kernel"
	case p.UserShare > most:
		return "heavy-readers user"
	}
	return "heavy-readers"
}
