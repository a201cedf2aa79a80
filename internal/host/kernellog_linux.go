package host

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/trace"
)

const (
	// maxLogLines bounds the lines of the log in the document: half from the beginning, where
	// the clocks are detected, and half from the end, where they fail.
	maxLogLines = 80
	// maxLogLine bounds a line, in characters.
	maxLogLine = 300
)

// firstMessage begins the first kernel message of a boot, except for one line on Arm.
const firstMessage = "Linux version "

// aboutClocks matches the lines of the log that concern clocks. It matches TSC in capitals or
// as the prefix of a message only: tsc is also a compiler, which the log names if it is killed.
var aboutClocks = regexp.MustCompile(`\bclocksource\b|\bTSC(?:_\w+)?\b|\btsc:|'tsc|Hypervisor detected|Xen version|vmware: using clock|` +
	`(?i:\bhpet\d*\b|\bkvm-?clock\b|\bpvclock\b|\bhyper-?v.*(?:clock|timer)|\bsched_clock\b|\bacpi_pm\b|\bpm-timer\b|` +
	`\barch_timer\b|\barch_sys_counter\b|\bcp15 timer|\btimekeeping\b|\brtc(?:\d+|[-_]\w+)?\b)`)

// clockStems are texts, in lower case, of which every line that aboutClocks matches has one.
// They are a fast filter: the expression takes 20 µs per line.
var clockStems = []string{"clock", "tsc", "hpet", "hypervisor", "xen version", "acpi_pm", "timer", "timekeeping", "rtc"}

// aboutParameters matches the lines with the kernel command line or the environment of init
// ("    TERM=linux"), which may hold secrets.
var aboutParameters = regexp.MustCompile(`(?i:command line)|^    `)

// A message is a line of the kernel log: the time since boot, "[    0.000089] " or "", and the
// text.
type message struct{ stamp, text string }

// A logSource is one way to read the kernel log.
type logSource struct {
	name string
	// read returns the messages of this boot, and whether the first one is among them.
	read func() (messages []message, whole bool, err error)
}

// kernelLog returns the log about clocks for the document, all lines about clocks, and all
// messages.
func kernelLog(root string) (*result.KernelLog, []string, []message) {
	var reasons []string
	refusedBy := map[string][]string{}
	sources := logSources(root)
	for i, source := range sources {
		messages, whole, err := source.read()
		if err == nil && len(messages) == 0 {
			err = errors.New("no kernel messages")
		}
		if err != nil {
			next := "giving up"
			if i+1 < len(sources) {
				next = "trying " + sources[i+1].name
			}
			trace.Printf("kernel log", "%s: %v; %s", source.name, err, next)
			reason := err.Error()
			if refusedBy[reason] == nil {
				reasons = append(reasons, reason)
			}
			refusedBy[reason] = append(refusedBy[reason], source.name)
			continue
		}
		lines := clockLines(messages)
		trace.Printf("kernel log", "%s: %d messages, complete since boot: %t, %d about clocks", source.name, len(messages), whole, len(lines))
		return &result.KernelLog{Source: source.name, Truncated: !whole, Lines: firstAndLast(lines, maxLogLines)}, lines, messages
	}
	const advice = "run as root, or allow it with `sysctl kernel.dmesg_restrict=0`, or attach the output of `sudo dmesg | grep -iE 'clocksource|tsc|hpet|kvm-clock'`"
	for i, reason := range reasons {
		reasons[i] = strings.Join(refusedBy[reason], ", ") + ": " + reason
	}
	return &result.KernelLog{Reason: strings.Join(append(reasons, advice), "; ")}, nil, nil
}

// clockLines returns the messages about clocks, as dmesg prints them.
func clockLines(messages []message) []string {
	var lines []string
	for _, m := range messages {
		if concernsClocks(m.text) && !aboutParameters.MatchString(m.text) {
			lines = append(lines, shorten(clean(m.stamp+m.text)))
		}
	}
	return lines
}

func concernsClocks(text string) bool {
	small := strings.ToLower(text)
	return slices.ContainsFunc(clockStems, func(stem string) bool { return strings.Contains(small, stem) }) &&
		aboutClocks.MatchString(text)
}

// firstAndLast returns the lines without the middle, if there are more than most.
func firstAndLast(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(append([]string{}, lines[:most/2]...), lines[len(lines)-most/2:]...)
}

// clean replaces characters that control a terminal or are not text.
func clean(line string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ReplacementChar
	}, line), " ")
}

func shorten(line string) string {
	characters := []rune(line)
	if len(characters) <= maxLogLine {
		return line
	}
	return string(characters[:maxLogLine-1]) + "…"
}
