package kernellog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/printable"
	"github.com/timebench/timebench/internal/show/words"
)

const (
	// maxLine bounds the text of an event, in bytes. The kernel's own records are shorter (LOG_LINE_MAX).
	maxLine = 1024
	// maxOfKind bounds the events of each kind, which some rules compare with each other. A flood repeats its first lines.
	maxOfKind = 100
)

// Parse returns the events in lines of the kernel log of a single boot, in their order. The lines may have stamps, as
// dmesg, journalctl and syslog daemons print them and as Select keeps them. Parse never fails: an unknown line, or a
// line of a program, yields no event. Of a kind with more than maxOfKind events, Parse keeps the first and the last, which
// shows what is so now; the others raise the count of the event before them.
func Parse(lines []string) []Event {
	var events []Event
	kept := map[string][]int{} // their indexes in events
	for i, line := range lines {
		text, count := unfold(line)
		f, m := recognize(text)
		if f == nil {
			continue
		}
		e := f.event(m)
		e.Index, e.Count = i, count
		if of := kept[f.kind]; len(of) == maxOfKind {
			last := &events[of[maxOfKind-1]]
			events[of[maxOfKind-2]].Count += last.Count
			*last = e
			continue
		}
		kept[f.kind] = append(kept[f.kind], len(events))
		events = append(events, e)
	}
	slices.SortFunc(events, func(a, b Event) int { return cmp.Compare(a.Index, b.Index) })
	markTests(events)
	return withoutQueries(events)
}

// withoutQueries returns the events without the steps that ntpdate -q and -d log behind their rows of servers: they set
// nothing.
func withoutQueries(events []Event) []Event {
	asked := false
	return slices.DeleteFunc(events, func(e Event) bool {
		query := asked && e.Kind == "stepped" && e.Name == "ntpdate"
		asked = e.Name == "ntpdate" && slices.Contains([]string{"asked-far", "servers-near"}, e.Kind)
		return query
	})
}

// recognize returns the format of a line, and its parts; nil for an unknown line, or a line of a program.
func recognize(line string) (*format, Message) {
	if !mayHave(strings.ToLower(cut(line))) {
		return nil, Message{}
	}
	m := Split(line)
	m.Text = printable.Line(m.Text[:min(len(m.Text), maxLine)])
	f := formatOf(m.Text)
	if f == nil || !f.writtenBy(m) {
		return nil, m
	}
	return f, m
}

func (f *format) event(m Message) Event {
	e := Event{Kind: f.kind, Line: strings.TrimSpace(m.Text), AtNS: m.AtNS, Timed: m.Timed, Stamp: m.Stamp, Clock: f.clock,
		Program: f.program}
	found := f.expression().FindStringSubmatch(m.Text)
	for i, group := range f.expression().SubexpNames() {
		if group != "" && found[i] != "" {
			fields[group](&e, found[i])
		}
	}
	e.Name = cmp.Or(e.Name, f.by)
	if math.IsNaN(e.StepNS) { // of a time that does not exist
		e.StepNS = 0
	}
	if slices.Contains(e.CPUs, unknownCPU) {
		e.CPUs = nil
	}
	if f.kind == "command-line" { // the rest may hold secrets
		e.Name = strings.Join(BootParameters(e.Name), " ")
		e.Line = "Kernel command line: " + e.Name
	}
	return e
}

// markTests makes tests of what the watchdog says during a test, and of the clock sources of the test.
func markTests(events []Event) {
	ofWatchdog := []string{"watchdog-interval", "clock-interval", "read-back-delay", "read-timed-out"}
	testing := false
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == "watchdog-test":
			testing = !strings.Contains(strings.ToLower(e.Line), "done with test")
		case strings.HasPrefix(e.Clock, "wdtest"), testing && (e.Marks() || slices.Contains(ofWatchdog, e.Kind)):
			e.Kind = "watchdog-test"
		}
	}
}

// marks are the kinds of lines by which the kernel marks a clock source unstable, or gives it up.
var marks = []string{"tsc-unstable", "watchdog-verdict", "watchdog-skew", "watchdog-delta", "frequency-skew",
	"inter-cpu-skew", "tsc-warp", "sync-failed"}

// Marks returns whether the kernel marks a clock source unstable by the line, or gives it up.
func (e Event) Marks() bool {
	return slices.Contains(marks, e.Kind) || e.Kind == "read-back-delay" &&
		strings.Contains(strings.ToLower(e.Line), "marking")
}

// overflowNS is an interval within which the kernel converts cycles to ns without overflow, in ns: less than twice the
// max_idle_ns of any TSC.
const overflowNS = 400e9

const wideMask = 1<<48 - 1 // the smallest mask of a counter that does not wrap within a check

// cycles returns what a counter advanced between two reads; negative if it went back. A narrow counter wraps, so it
// cannot be seen to go back.
func cycles(e Event) float64 {
	forward, back := (e.Now-e.Last)&e.Mask, (e.Last-e.Now)&e.Mask
	return words.Either(e.Mask >= wideMask && back < forward, -float64(back), float64(forward))
}

func ofKind(events []Event, kinds ...string) []Event {
	var found []Event
	for _, e := range events {
		if slices.Contains(kinds, e.Kind) {
			found = append(found, e)
		}
	}
	return found
}
