package attachment

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/timebench/timebench/internal/kernellog"
	"github.com/timebench/timebench/internal/printable"
	"github.com/timebench/timebench/internal/result"
)

const (
	// maxLines is the max number of lines of a log.
	maxLines = 1_000_000
	// keptLines and keptCharacters bound the log in a document, as that of a measured machine.
	keptLines, keptCharacters = 80, 300
)

// A log is the lines of the last boot in a text that matter to clocks.
type log struct {
	lines  []string
	about  []string // those that concern clocks
	events []kernellog.Event
	// whole is whether the text has the beginning of the boot.
	whole bool
}

// beginning is in the first line of a boot.
const beginning = "Linux version "

// telling are texts in other lines that tell facts of the machine.
var telling = []string{beginning, "ommand line: ", "DMI: ", "ypervisor detected", "Starting gVisor"}

// readLog returns what of a text matters. It returns an error if the text is longer than may be, or not of a kernel.
func readLog(text []byte) (log, error) {
	var found log
	lines := 0
	for raw := range bytes.Lines(text) {
		if lines++; lines > maxLines {
			return log{}, fmt.Errorf("has more than %d lines", maxLines)
		}
		line := strings.TrimRight(string(raw), "\r\n")
		tells := false
		for _, text := range telling {
			tells = tells || strings.Contains(line, text)
		}
		concerns := kernellog.Concerns(line)
		if !tells && !concerns {
			continue
		}
		m := kernellog.Split(line)
		if m.Program {
			continue
		}
		if strings.HasPrefix(m.Text, beginning) { // of several boots the last counts
			found = log{whole: true}
		}
		line = shown(strings.TrimSpace(m.Stamp + " " + m.Text))
		found.lines = append(found.lines, line)
		if concerns {
			found.about = append(found.about, line)
		}
	}
	if found.events = kernellog.Parse(found.lines); len(found.events) == 0 {
		return log{}, ErrUnknown
	}
	return found, nil
}

// shown returns a line as a document has it: without control characters, and not longer than it may be.
func shown(line string) string {
	line = printable.Line(line)
	if characters := []rune(line); len(characters) > keptCharacters {
		return string(characters[:keptCharacters-1]) + "…"
	}
	return line
}

// kernelLog returns the log of a document.
func (l log) kernelLog(source string) *result.KernelLog {
	kept, incomplete := kernellog.Select(l.about, keptLines)
	return &result.KernelLog{Source: printable.Line(source), Truncated: !l.whole || incomplete, Lines: kept}
}

// ofLog returns the document of a log alone.
func ofLog(name string, text []byte) (*result.Document, error) {
	found, err := readLog(text)
	if err != nil {
		return nil, err
	}
	facts := result.Host{OS: "linux"}
	found.tell(&facts)
	facts.KernelLog = found.kernelLog(path.Base(strings.ReplaceAll(name, `\`, "/")))
	return document(facts), nil
}

// tell fills in the facts that are not known otherwise, by what the log says.
func (l log) tell(facts *result.Host) {
	m := kernellog.MachineOf(l.events)
	facts.Arch = cmp.Or(facts.Arch, m.Arch)
	facts.Kernel = cmp.Or(facts.Kernel, m.Kernel)
	if facts.CPU.KernelTSCHz == 0 {
		facts.CPU.KernelTSCHz = kernellog.TSCHz(l.events)
	}
	if facts.BootParameters == nil {
		facts.BootParameters = kernellog.BootParameters(strings.Join(m.Parameters, " "))
	}
	if facts.Virtualization == nil && m.Guest {
		facts.Virtualization = &result.Virtualization{System: cmp.Or(m.Hypervisor, "unknown"), Role: "guest"}
	}
	if facts.ClockSource == nil && m.ClockSource != "" {
		facts.ClockSource = &result.ClockSource{Current: m.ClockSource}
	}
}
