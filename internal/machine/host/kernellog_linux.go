package host

import (
	"errors"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// A logSource is one way to read the kernel log.
type logSource struct {
	name string
	// read returns the messages of this boot, and whether the first one is among them.
	read func() (messages []kernellog.Message, whole bool, err error)
}

// kernelLog returns the log about clocks for the document, all lines about clocks, and all
// messages.
func kernelLog(root string) (*result.KernelLog, []string, []kernellog.Message) {
	var reasons []string
	refusedBy := map[string][]string{}
	for _, source := range logSources(root) {
		messages, whole, err := source.read()
		if err == nil && len(messages) == 0 {
			err = errors.New("no kernel messages")
		}
		if err != nil {
			debuglog.Printf("kernel log", "%s: %v", source.name, err)
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
func clockLines(messages []kernellog.Message) []string {
	var lines []string
	var stamps kernellog.Stamps
	for _, m := range messages {
		if back := stamps.Add(m.Stamp); back != "" {
			lines = append(lines, back)
		}
		if !kernellog.Concerns(m.Text) {
			continue
		}
		line := m.Text
		if m.Timed {
			line = m.Stamp + " " + line
		}
		lines = append(lines, kernellog.Shown(line))
	}
	return lines
}

func loggedTSCHz(lines []string) float64 {
	if hz := kernellog.TSCHz(kernellog.Parse(lines)); plausibleHz(hz) {
		return hz
	}
	return 0
}

func plausibleHz(hz float64) bool { return hz >= 1e6 && hz <= 1e12 }
