package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// slowKinds are the findings that explain why reads are slow.
var slowKinds = []string{"kernel-entry", "no-vdso", "tsc-trapped", "qpc-kernel", "slow-reads", "dear"}

// fastNS is up to what a read is fast, in ns. In user mode it takes 15 to 50 ns on CPUs of the last fifteen years.
const fastNS = 100

// Answer returns whether reading the clock is fast or slow on the document's machine, what it costs, and why
// it is slow, in one sentence, and how good that is; "" if no everyday clock was timed.
func Answer(d *result.Document) (string, table.Level) {
	c := Answering(d)
	if c == nil {
		return "", 0
	}
	cost := words.Duration(c.Latency.MedianNS)
	if i := slices.IndexFunc(d.Findings, func(f result.Finding) bool { return slices.Contains(slowKinds, f.Kind) }); i >= 0 {
		why := "; " + d.Findings[i].Title
		if reason, ok := strings.CutPrefix(d.Findings[i].Title, slowFineClocks); ok {
			why = reason
		}
		return fmt.Sprintf("Reading the clock is slow: %s per read%s%s.", cost, timesTheCounter(d, c), why), table.Error
	}
	where, fast := "", c.Latency.MedianNS < fastNS
	switch c.KernelEntry {
	case result.Never:
		where = ", in user mode"
	case result.Always:
		where, fast = ", by entering the kernel", false
	case result.Sometimes:
		where, fast = ", and some reads enter the kernel", false
	}
	if source := clockSource(d); source != "" {
		where += " (clock source " + source + ")"
	}
	if fast {
		return fmt.Sprintf("Reading the clock is fast: %s per read%s.", cost, where), table.OK
	}
	return fmt.Sprintf("Reading the clock takes %s per read%s.", cost, where), 0
}

// Answering returns the clock that an answer is about: the one that a finding calls slow, or the everyday clock that
// programs read first, or else any that shows what a program pays; nil if none was timed.
func Answering(d *result.Document) *compare.Clock {
	if slices.ContainsFunc(d.Findings, func(f result.Finding) bool { return f.Kind == "slow-reads" }) {
		if read := fineRead(d); read != nil {
			return read
		}
	}
	for _, id := range slices.Concat(everyday, []string{"time.Now@go"}) {
		if c := timedClock(d, id); c != nil {
			return c
		}
	}
	return nil
}

// timesTheCounter returns how many times longer a read takes than one of the CPU's counter; "" if that was
// not timed, or takes as long.
func timesTheCounter(d *result.Document, c *compare.Clock) string {
	for _, id := range clock.PlainCounters {
		if counter := timedClock(d, id); counter != nil && c.Latency.MedianNS > 2*counter.Latency.MedianNS && counter.Latency.MedianNS > 0 {
			return fmt.Sprintf(", %s times what the CPU's counter takes", words.Times(c.Latency.MedianNS/counter.Latency.MedianNS))
		}
	}
	return ""
}
