package diagnose

import (
	"reflect"
	"sync"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// lastLog is the log that was read last: each check and each condition of a remedy asks for it
// anew, and reading one takes about a millisecond.
var lastLog struct {
	sync.Mutex
	lines   []string
	machine kernellog.Machine
	events  []kernellog.Event
	causes  []kernellog.Cause
}

// readLog returns what the kernel log of a document says about clocks, and the causes that it
// shows, those that decide first. The caller must not change them.
func readLog(d *result.Document) ([]kernellog.Event, []kernellog.Cause) {
	if d.Host.KernelLog == nil || len(d.Host.KernelLog.Lines) == 0 {
		return nil, nil
	}
	lines, machine := d.Host.KernelLog.Lines, logMachine(d)
	lastLog.Lock()
	defer lastLog.Unlock()
	if lastLog.lines == nil || !reflect.DeepEqual(lastLog.lines, lines) || !reflect.DeepEqual(lastLog.machine, machine) {
		lastLog.lines, lastLog.machine = append([]string(nil), lines...), machine
		lastLog.events = kernellog.Parse(lines)
		lastLog.causes = kernellog.Explain(lastLog.events, machine)
	}
	return lastLog.events, lastLog.causes
}

func logMachine(d *result.Document) kernellog.Machine {
	m := kernellog.Machine{
		Arch: d.Host.Arch, Kernel: d.Host.Kernel, Guest: isGuest(d),
		Parameters: append([]string(nil), d.Host.BootParameters...), ClockSource: clockSource(d),
	}
	if v := d.Host.Virtualization; v != nil {
		m.Hypervisor = v.System
	}
	return m
}

func events(d *result.Document) []kernellog.Event {
	found, _ := readLog(d)
	return found
}

func logged(d *result.Document) []kernellog.Cause {
	if !onLinux(d) {
		return nil
	}
	_, causes := readLog(d)
	return causes
}
