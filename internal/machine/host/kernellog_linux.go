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
	// read calls add with each line of the kernel, and returns whether lines since the boot are known to be lost.
	read func(add func(line string)) (lost bool, err error)
}

// kernelLog returns the log about clocks for the document, and its events.
func kernelLog(root string) (*result.KernelLog, []kernellog.Event) {
	var reasons []string
	refusedBy := map[string][]string{}
	for _, source := range logSources(root) {
		found, messages := kernellog.LastBoot{KernelOnly: true}, 0
		lost, err := source.read(func(line string) { messages++; found.Add(line) })
		if err == nil && messages == 0 {
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
		events := found.Finish()
		truncated := lost || !found.Whole() || found.Incomplete
		debuglog.Printf("kernel log", "%s: %d messages, complete since boot: %t, %d lines kept", source.name, messages,
			!truncated, len(found.Lines))
		return &result.KernelLog{Source: source.name, Truncated: truncated, Lines: found.Lines}, events
	}
	const advice = "run as root, or allow it with `sysctl kernel.dmesg_restrict=0`, " +
		"or attach the output of `sudo dmesg | grep -iE 'clocksource|tsc|hpet|kvm-clock'`"
	for i, reason := range reasons {
		reasons[i] = strings.Join(refusedBy[reason], ", ") + ": " + reason
	}
	return &result.KernelLog{Reason: strings.Join(append(reasons, advice), "; ")}, nil
}

func loggedTSCHz(events []kernellog.Event) float64 {
	if hz := kernellog.TSCHz(events); plausibleHz(hz) {
		return hz
	}
	return 0
}

func plausibleHz(hz float64) bool { return hz >= 1e6 && hz <= 1e12 }
