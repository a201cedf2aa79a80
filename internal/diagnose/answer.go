package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// slowKinds are the findings that explain why reads are slow.
var slowKinds = []string{"kernel-entry", "no-vdso", "tsc-trapped", "qpc-kernel", slowReadsKind}

// fastNS is the max latency of a fast read, in ns. In user mode a read takes 15 to 50 ns on CPUs of the last fifteen
// years.
const fastNS = 100

// Answer returns one sentence on reading the clock of the document's machine, with its level: whether it is fast or
// slow, its latency, why it is slow, the worst other fault, and the program that suffers. It returns "" if no everyday
// clock was timed; of a machine's files, only that reads enter the kernel; of an interrupted doctor, that the latency
// is unknown.
func Answer(d *result.Document) (string, table.Level) {
	s := situation.Of(d)
	c := answering(s)
	switch {
	case c == nil && s.Unmeasured() && s.InKernelOnly():
		from := words.Either(s.LogOnly(), "By the kernel log the", "The")
		what, level := "each read of the clock enters", table.Warn
		if s.ReadableSomewhere() {
			what = "reads of the clock may enter"
		}
		if s.AsXenIntends() {
			level = 0
		}
		return fmt.Sprintf("%s clock source is %s: %s the kernel. Nothing was measured.", from, s.ClockSource, what), level
	case c == nil && s.Interrupted && s.Tool.Command == "doctor":
		besides, level := beside(s)
		return "the cost of a read was not measured" + besides + ".", level
	case c == nil:
		return "", 0
	}
	cost := words.Duration(situation.CostNS(c.Latency))
	besides, level := beside(s)
	isSlow := func(f result.Finding) bool { return slices.Contains(slowKinds, f.Kind) }
	if i := slices.IndexFunc(s.Findings, isSlow); i >= 0 {
		why := "; " + s.Findings[i].Title
		if s.Findings[i].Kind == slowReadsKind && !s.ReadsQPCInUserMode() {
			why = becauseOfCounter(s)
		}
		slow := fmt.Sprintf("Reading the clock is slow: %s per read%s%s%s.", cost, timesTheCounter(s, c), why, besides)
		return slow, table.Error
	}
	where, fast := "", situation.CostNS(c.Latency) < fastNS
	switch c.KernelEntry {
	case result.Never:
		where = ", in user mode"
	case result.Always:
		where, fast = ", by entering the kernel", false
	case result.Sometimes:
		where, fast = ", and some reads enter the kernel", false
	}
	if source := s.ClockSource; source != "" {
		where += " (clock source " + source + ")"
	}
	if fast {
		return fmt.Sprintf("Reading the clock is fast: %s per read%s%s.", cost, where, besides), cmp.Or(level, table.OK)
	}
	return fmt.Sprintf("Reading the clock takes %s per read%s%s.", cost, where, besides), level
}

// beside returns what the first line has besides the latency of a read, with its level: an error, and the program that
// spends most time on reads.
func beside(s *situation.Situation) (text string, level table.Level) {
	if i := slices.IndexFunc(s.Findings, func(f result.Finding) bool {
		return f.Severity == result.Error && !slices.Contains(slowKinds, f.Kind)
	}); i >= 0 {
		text, level = "; but "+s.Findings[i].Title, table.Error
	}
	if heavy := programsAbove(s, heavyShare, heavyCPUs); len(heavy) > 0 {
		text += fmt.Sprintf("; %s spends %s of its CPU time on reading clocks", heavy[0].Command,
			words.Percent(*heavy[0].ClockShare))
		level = cmp.Or(level, table.Warn)
	}
	return text, level
}

// Answering returns the clock of the answer: the clock that a finding calls slow, or the everyday clock that programs
// read first (without a vDSO, the system call), or else any clock whose cost programs pay; nil if none was timed.
func Answering(d *result.Document) *compare.Clock { return answering(situation.Of(d)) }

func answering(s *situation.Situation) *compare.Clock {
	if slices.ContainsFunc(s.Findings, func(f result.Finding) bool { return f.Kind == slowReadsKind }) {
		if read := s.FineRead(); read != nil {
			return read
		}
	}
	ids := slices.Clone(situation.Everyday)
	if s.NoVDSO() {
		ids = append(ids, "CLOCK_MONOTONIC@syscall")
	}
	if !s.Interrupted { // the everyday clocks may have been next, and time.Now costs more than they do
		ids = append(ids, "time.Now@go")
	}
	for _, id := range ids {
		if c := s.Timed(id); c != nil {
			return c
		}
	}
	return nil
}

// timesTheCounter returns how many times longer a read takes than a read of the CPU's counter; "" if the counter was
// not timed, or takes as long.
func timesTheCounter(s *situation.Situation, c *compare.Clock) string {
	cost := situation.CostNS(c.Latency)
	for _, id := range clock.PlainCounters {
		counter := s.Timed(id)
		if counter == nil {
			continue
		}
		if least := situation.CostNS(counter.Latency); least > 0 && cost > 2*least {
			return fmt.Sprintf(", %s times what the CPU's counter takes", words.Times(cost/least))
		}
	}
	return ""
}

// usual are the clocks that a reader asks about first. Healthy has more about them than [Answer].
var usual = []string{"CLOCK_MONOTONIC@vdso", "QueryPerformanceCounter@winapi"}

// Healthy returns doctor's text for a document without findings: there is no problem, or too little was measured to
// know. [Answer] has the cost of reads.
func Healthy(d *result.Document) string {
	s := situation.Of(d)
	unread := ""
	if s.Host.KernelLog != nil {
		unread = s.Host.KernelLog.Reason
	}
	text, unmeasured := "No problem with the clocks was found.", "Nothing was measured"
	if slices.ContainsFunc(section.In(d), func(s section.Section) bool { return !section.Empty(s) }) {
		unmeasured = "No read of a clock was timed"
	}
	asks, others := asked(s)
	switch measured := Measured(d); {
	case len(asks) > 0:
		return "" // a finding has it all
	case s.LogOnly():
		text = "F" + fromTheLog(s)[1:] + shown(s) + " Nothing was measured, so the cost of the clocks is unknown."
		if s.Host.KernelLog.Boots > 1 && !s.Host.KernelLog.Mixed {
			text += " The earlier boots were not judged."
		}
	case s.Interrupted && !measured:
		text = "Interrupted before anything was measured: the cost of the clocks is unknown."
	case !measured:
		if unread != "" {
			unread = ", and the kernel log could not be read: " + unread
		}
		text = unmeasured + ", so the cost of the clocks is unknown" + unread + ". The facts of the machine show no problem."
	case s.Interrupted:
		text = "Interrupted. No problem with the clocks was found until then."
	}
	texts := append([]string{text}, textsOf(others)...)
	if s.LogOnly() {
		if asked := askedAtBoot(s); asked != nil {
			texts = append(texts, asked.cause)
		}
	}
	for _, c := range s.Clocks {
		if slices.Contains(usual, c.ID) && c.Latency == nil && c.Reason != "" {
			texts = append(texts, fmt.Sprintf("%s was not measured: %s.", c.ID, c.Reason))
		}
	}
	if v := verify.Of(s.Document); v != nil {
		for _, c := range v.Clocks {
			if slices.Contains(usual, c.ID) && c.Verdict == verify.IsMonotonic {
				texts = append(texts, fmt.Sprintf("%s never went backwards in %s reads on %s.", c.ID,
					words.Thousands(c.Reads), words.Plural(len(v.CPUs), "CPU")))
			}
		}
	}
	return strings.Join(texts, " ")
}

// Measured reports whether the cost of any clock is known.
func Measured(d *result.Document) bool {
	return slices.ContainsFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return c.Latency != nil })
}
