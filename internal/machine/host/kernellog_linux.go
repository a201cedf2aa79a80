package host

import (
	"errors"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/system/debuglog"
)

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
			debuglog.Printf("kernel log", "%s: %v; %s", source.name, err, next)
			reason := err.Error()
			if refusedBy[reason] == nil {
				reasons = append(reasons, reason)
			}
			refusedBy[reason] = append(refusedBy[reason], source.name)
			continue
		}
		lines := clockLines(messages)
		kept, incomplete := kernellog.Select(lines, kernellog.MaxLines)
		debuglog.Printf("kernel log", "%s: %d messages, complete since boot: %t, %d about clocks, %d kept", source.name, len(messages), whole, len(lines), len(kept))
		return &result.KernelLog{Source: source.name, Truncated: !whole || incomplete, Lines: kept}, lines, messages
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
		if kernellog.Concerns(m.text) {
			lines = append(lines, kernellog.Shown(m.stamp+m.text))
		}
	}
	return lines
}
