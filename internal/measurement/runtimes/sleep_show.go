package runtimes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// sleptFor returns the sleeps of a span in all runtimes: those that were never early first, each the least late first.
func (s *Runtimes) sleptFor(spanNS int64) (all []line) {
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		for _, of := range wake.ByLateness(r.Sleeps, spanNS) {
			all = append(all, line{section: s, runtime: r, call: MeasuredCall{ID: of.ID, Call: of.ID}, slept: of.SleepSpan, own: true})
		}
	}
	slices.SortStableFunc(all, func(a, b line) int {
		return cmp.Or(min(a.slept.Early, 1)-min(b.slept.Early, 1), cmp.Compare(a.slept.MedianLateNS, b.slept.MedianLateNS))
	})
	return all
}

// early is said of a way to sleep beside its lateness.
func (l line) early() string {
	if l.slept.Early > 0 {
		return " (some end early)"
	}
	return ""
}

// sleepAnswer names the way to sleep to use in the measured runtime for the shortest span, or how late the best ways of
// several runtimes end.
func (s *Runtimes) sleepAnswer() string {
	seen := map[*MeasuredRuntime]bool{}
	span := wake.Spans(s.sleeps())[0]
	best := slices.DeleteFunc(s.sleptFor(span), func(l line) bool {
		defer func() { seen[l.runtime] = true }()
		return seen[l.runtime]
	})
	text, first, last := words.Duration(float64(span)), best[0], best[len(best)-1]
	if len(best) == 1 {
		return fmt.Sprintf("For a sleep of %s use %s, %s late%s.", text, first.call.ID, words.SignedDuration(first.slept.MedianLateNS),
			first.early())
	}
	return fmt.Sprintf("A sleep of %s ends %s (%s) to %s (%s) late, with the best call of each of %d runtimes.", text,
		words.SignedDuration(first.slept.MedianLateNS), first.call.ID, words.SignedDuration(last.slept.MedianLateNS), last.call.ID, len(best))
}

// sleepChoices returns a line for each runtime: its ways to sleep for a span, and why they are late.
func (s *Runtimes) sleepChoices(spanNS int64) (lines []table.Fact) {
	for _, l := range s.sleptFor(spanNS) {
		text := strings.TrimSuffix(l.call.ID, "@"+l.runtime.Name) + " " + words.SignedDuration(l.slept.MedianLateNS) + l.early()
		if why := rounded(l.slept); why != "" {
			text += " (" + why + ")"
		}
		if i := slices.IndexFunc(lines, func(f table.Fact) bool { return f.Name == l.runtime.Name }); i >= 0 {
			lines[i].Value += "; " + text
		} else {
			lines = append(lines, table.Fact{Name: l.runtime.Name, Value: text})
		}
	}
	return lines
}

func sleepColumns() []table.Column[line] {
	slept := func(l line) *wake.SleepSpan { return l.slept }
	text := table.Within(slept, "")
	return append([]table.Column[line]{
		{Name: "system call", Key: "system_call", Left: true, Text: text(func(s *wake.SleepSpan) string { return s.SystemCall }),
			Cell: text(waitCell)},
		{Key: "system_call_ns", Value: table.Within(slept, table.Unknown)(func(s *wake.SleepSpan) float64 {
			return table.Known(float64(s.SystemCallNS))
		})},
	}, wake.LatenessColumns(slept)...)
}

// waitCell returns the system call and how long it waits; ≈ if that is what remained of a deadline.
func waitCell(s *wake.SleepSpan) string {
	if s.SystemCall == "" {
		return ""
	}
	about := ""
	if s.Deadline {
		about = "≈ "
	}
	return fmt.Sprintf("%s(%s%s)", s.SystemCall, about, words.Duration(float64(s.SystemCallNS)))
}

// wholeMS are the system calls that wait for whole milliseconds.
var wholeMS = []string{"poll", "epoll_wait", "epoll_pwait"}

// rounded returns why a sleep is late if its system call waits longer than the program asked; "" otherwise.
func rounded(s *wake.SleepSpan) string {
	const much, almost = 1.5, 0.15e6
	if float64(s.SystemCallNS) < much*float64(s.SpanNS) {
		return ""
	}
	ns := float64(s.SystemCallNS)
	if whole := math.Ceil(ns/1e6) * 1e6; whole-ns < almost {
		ns = whole // a little of it is over when the tracer sees the call
	}
	if slices.Contains(wholeMS, s.SystemCall) {
		return fmt.Sprintf("rounded to %s by %s", words.Duration(ns), s.SystemCall)
	}
	return fmt.Sprintf("rounded to %s before %s, which takes ns", words.Duration(ns), s.SystemCall)
}
