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
	// mostLogLines bounds the lines of the log in the document: as many from its
	// beginning, where the clocks are found, as from its end, where they fail.
	mostLogLines = 80
	// longestLogLine bounds a line, in characters.
	longestLogLine = 300
)

// firstMessage begins the kernel's first message of a boot, but for a line of Arm's.
const firstMessage = "Linux version "

// aboutClocks finds the lines of the log that concern clocks. The time stamp counter
// counts in capitals, or as the name of the kernel's part: tsc is also a compiler, of
// which the log tells when it is killed.
var aboutClocks = regexp.MustCompile(`\bclocksource\b|\bTSC(?:_\w+)?\b|\btsc:|'tsc|Hypervisor detected|Xen version|vmware: using clock|` +
	`(?i:\bhpet\d*\b|\bkvm-?clock\b|\bpvclock\b|\bhyper-?v.*(?:clock|timer)|\bsched_clock\b|\bacpi_pm\b|\bpm-timer\b|` +
	`\barch_timer\b|\barch_sys_counter\b|\bcp15 timer|\btimekeeping\b|\brtc(?:\d+|[-_]\w+)?\b)`)

// clockStems are what each line that aboutClocks finds has one of, in small letters.
// Few others do, and the expression takes twenty microseconds a line.
var clockStems = []string{"clock", "tsc", "hpet", "hypervisor", "xen version", "acpi_pm", "timer", "timekeeping", "rtc"}

// aboutParameters finds the lines that hold the kernel's command line, or what it left
// of it to the first program ("    TERM=linux"), which may be secret.
var aboutParameters = regexp.MustCompile(`(?i:command line)|^    `)

// A message is a line of the kernel's log: the time since the boot, "[    0.000089] " or
// nothing, and the text.
type message struct{ stamp, text string }

// A logSource is one way to the kernel's log.
type logSource struct {
	name string
	// read returns the messages of this boot and whether they begin with its first.
	read func() (messages []message, whole bool, err error)
}

// kernelLog returns what the log says of clocks, all lines that it was chosen from, and
// all messages.
func kernelLog(root string) (*result.KernelLog, []string, []message) {
	var reasons []string
	refusedBy := map[string][]string{}
	sources := logSources(root)
	for i, source := range sources {
		messages, whole, err := source.read()
		if err == nil && len(messages) == 0 {
			err = errors.New("no messages of the kernel")
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
		trace.Printf("kernel log", "%s: %d messages, from the boot on: %t; %d about clocks", source.name, len(messages), whole, len(lines))
		return &result.KernelLog{Source: source.name, Truncated: !whole, Lines: firstAndLast(lines, mostLogLines)}, lines, messages
	}
	const advice = "run as root, or allow it with `sysctl kernel.dmesg_restrict=0`, or attach what `sudo dmesg | grep -iE 'clocksource|tsc|hpet|kvm-clock'` prints"
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

// firstAndLast leaves out the middle where there are more than most lines.
func firstAndLast(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(append([]string{}, lines[:most/2]...), lines[len(lines)-most/2:]...)
}

// clean replaces what would steer a terminal, or is no text.
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
	if len(characters) <= longestLogLine {
		return line
	}
	return string(characters[:longestLogLine-1]) + "…"
}
