package diagnose

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// faultOf returns the check of a fault in the kernel log: of the TSC of this machine, or of another counter.
func faultOf(tsc bool) func(*situation.Situation) *result.Finding {
	return func(s *situation.Situation) *result.Finding {
		if faults := s.Faults(); len(faults) > 0 && (faults[0].Concerns == kernellog.OfTSC) == tsc {
			finding := faultByLog(s)
			if finding != nil { // the kernel logs a wrong rate from 500 ppm on, the limit of ntpd
				wrong := s.ClockSource == "tsc" && faults[0].Kind == "wrong-cpuid-rate"
				finding.Severity = words.Either(wrong, result.Error, result.Warn)
			}
			return finding
		}
		return words.Either(tsc, nil, askedByLog(s, false))
	}
}

// faultByLog finds a fault in the kernel log that did not make reads of the clock source in use enter the kernel.
func faultByLog(s *situation.Situation) *result.Finding {
	name := s.ClockSource
	switch {
	case s.InGVisor():
		return nil // a sandbox has no clock of its own that could be at fault
	case name == "tsc" && !s.Judged(kernellog.TSCWrong) && (!s.DoubtsTSC() || s.Unset("tsc=reliable", "tsc=nowatchdog")):
		return nil // the kernel has checked it since
	case slices.Contains(situation.HypervisorClocks, name) && !s.Invariant() && !s.LogOnly():
		return nil // which the kernel prefers
	case !s.LogOnly() && s.NothingFailed() && name != "tsc":
		return nil // reads are fast, and nothing failed
	}
	found := joined(append([]*why{byLog(s)}, firstOf(s, askedAtBoot)...)).withTimers(s)
	names := found.remedies
	if slices.Contains(situation.HypervisorClocks, name) { // user mode can read it, or kernelEntry reports that it cannot
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == remedy.OfHypervisor })
	}
	title := s.Faults()[0].Title
	switch {
	case name == "tsc":
		title += ", and the clock source is tsc"
	case s.Faults()[0].Concerns != kernellog.OfTSC && s.LogOnly():
	case s.MarkedUnstable() && name != "":
		title = "the kernel marked the TSC unstable, and uses " + name
	case s.MarkedUnstable():
		title = "the kernel marked the TSC unstable"
	case !s.LogOnly():
		title = "the kernel log shows that " + title
	}
	found.title, found.remedies = title, names
	return found.finding(s)
}

// asked returns the causes in a log that are harmless to the clocks, but ask for something; and the other harmless
// ones. Beside a fault, only a stall counts, which may explain it. A measurement shows more than a log.
func asked(s *situation.Situation) (asks, others []kernellog.Cause) {
	for _, c := range s.Causes() {
		names, is := remedy.OfHarmless(c.Kind)
		switch {
		case !s.LogOnly() || !c.Harmless || hasFaults(s) && c.Kind != "stalled":
		case is && (len(names) == 0 || len(remedy.For(s, names...)) > 0):
			asks = append(asks, c)
		default:
			others = append(others, c)
		}
	}
	return asks, others
}

func hasFaults(s *situation.Situation) bool { return len(s.Faults())+len(s.WallFaults()) > 0 }

func textsOf(causes []kernellog.Cause) (texts []string) {
	for _, c := range causes {
		texts = append(texts, c.Text)
	}
	return texts
}

// clauses matches the first clause of a text, and the rest.
var clauses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^((?:The|A|An|By|Timer) )?(.+?)(?:: |\. |\.?$)(.*)$`)
})

// askedByLog finds what a log asks for beside its faults. Its title is the first clause of the first cause. of the wall
// is whether that concerns the wall clock.
func askedByLog(s *situation.Situation, ofTheWall bool) *result.Finding {
	asks, others := asked(s)
	if len(asks) == 0 || (asks[0].Concerns == kernellog.OfWallClock) != ofTheWall {
		return nil
	}
	found := explained(s, asks)
	found.remedies = nil
	for _, c := range asks {
		names, _ := remedy.OfHarmless(c.Kind)
		found.remedies = append(found.remedies, names...)
	}
	parts := clauses().FindStringSubmatch(found.cause)
	rest := []string{parts[3]}
	if !hasFaults(s) {
		rest = slices.Concat(rest, []string{"Beyond that, " + shown(s)}, textsOf(others))
	}
	cause := cmp.Or(strings.Join(words.Present(rest...), " "), found.cause)
	_, n := utf8.DecodeRuneInString(cause)
	found.title, found.cause = strings.ToLower(parts[1])+parts[2], strings.ToUpper(cause[:n])+cause[n:]
	finding := found.finding(s)
	finding.Severity = result.Note
	return finding
}

// wallFault finds a fault of the wall clock in the kernel log. A measurement shows whether it is still wrong.
func wallFault(s *situation.Situation) *result.Finding {
	faults := s.WallFaults()
	if len(faults) == 0 {
		return askedByLog(s, true)
	}
	if !s.LogOnly() && s.IsSynchronised() {
		return nil
	}
	found := explained(s, faults)
	found.title = faults[0].Title
	return found.finding(s)
}

// A read of the TSC costs 7 to 25 ns on x86 CPUs of the last fifteen years. A trap to a hypervisor costs about 1 µs.
const (
	trapNS     = 200
	trapFloors = 60 // times an empty call, so that a slow machine does not look like a trap
)

// traps reports whether reads of a timed counter trap to the kernel or the hypervisor, by their cost.
func traps(s *situation.Situation, c *compare.Clock) bool {
	cost := situation.CostNS(c.Latency)
	return cost >= trapNS && cost >= trapFloors*s.FloorNS
}

func trappedTSC(s *situation.Situation) *result.Finding {
	c := s.Timed("RDTSC@cpu")
	if c == nil || !traps(s, c) {
		return nil
	}
	finding := foundBy(s, []string{row(*c), "an empty call · " + words.Duration(s.FloorNS)}, "tsc-trapped")
	if h := remedy.HypervisorOf(s); h.Name != "" {
		finding.Cause += " " + h.Get("trap")
		finding.Links = h.All("link")
	}
	return finding
}

func tscRate(s *situation.Situation) *result.Finding {
	evidence := s.TSCRates()
	if len(evidence) > 0 && s.Invariant() {
		evidence = append(evidence, "the CPU reports an invariant TSC: "+flags(s))
	}
	return foundBy(s, evidence, "tsc-rate")
}

const maxUnjudged = 4 // a bound on the lines in a sentence

// quoted returns lines as a list in a sentence: the first of many.
func quoted(lines []string) string {
	more := ""
	if len(lines) > maxUnjudged {
		more, lines = ", …", lines[:maxUnjudged]
	}
	return "\"" + strings.Join(lines, "\", \"") + "\"" + more
}

// shown returns what a kernel log without findings shows: that no clock is at fault, or why that is unknown.
func shown(s *situation.Situation) string {
	unjudged := kernellog.Unjudged(s.Host.KernelLog.Lines)
	switch {
	case len(unjudged) > 0:
		text := "no fault is known, but it has " + words.Plural(len(unjudged), "line") + " about time that " +
			"timebench does not judge: "
		return text + quoted(unjudged) + "."
	case s.OfPrograms():
		return "no fault is known, but no line is a message of the kernel about clocks: the clock sources were not judged."
	case !s.SeenStart():
		return "no fault is known, but the start of the boot is missing, where the kernel judges its clocks."
	}
	return "it shows no fault of the clocks."
}
