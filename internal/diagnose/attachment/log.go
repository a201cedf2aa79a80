package attachment

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/show/printable"
)

// A log is the lines of the last boot in a text that matter to clocks.
type log struct {
	bootLines            // the boot that is being read; the last boot when finished
	first     *bootLines // the first one of the text, which is the last if the newest line comes first; nil if it is being read
	boots     kernellog.Boots
	kernel    bool // whether the kernel wrote a line that concerns clocks, by the prefix of its text
	whole     bool // whether the text has the beginning of the boot
	events    []kernellog.Event
	stamps    kernellog.Stamps
	system    string // another system than Linux that wrote one of the first lines, of which unknown were searched
	unknown   int
}

// bootLines are the lines of a boot.
type bootLines struct {
	facts      []string // lines with facts of the machine that do not concern clocks
	about      []string // lines that concern clocks, with repeated ones folded
	incomplete bool     // whether lines that concern clocks were left out
}

const (
	// maxPending is the number of lines that concern clocks at which repeated lines are folded. It bounds the memory.
	maxPending = 4096
	// maxFacts and maxFact bound the lines with facts, and their bytes.
	maxFacts, maxFact = 256, 4096
	// maxUnknown bounds the lines, and their bytes, that are searched for the name of another system.
	maxUnknown = 1000
)

// factual are texts in lines with facts of the machine.
var factual = []string{"Command line: ", "Kernel command line: ", "DMI: ", "Hardware name: ", "virtio", "FIRECK", "CPU0: ", "Linux version ", "Starting gVisor", "WSL (", "mini_init ("}

// readLog returns the relevant lines of a text. It keeps only these in memory. It returns an error if the text is too
// long, or not of a kernel.
func readLog(r io.Reader) (log, error) {
	var found log
	buffered := bufio.NewReader(r)
	each := eachLine
	if head, _ := buffered.Peek(len(`{ "dmesg": [`) + 32); dmesgJSON.Match(head) {
		each = eachRecord
	}
	var held []string // the last lines, which may be the wrapped parts of one
	release := func() {
		line, joined := kernellog.Unwrap(held)
		found.add(line)
		held = slices.Delete(held, 0, joined)
	}
	if err := each(buffered, func(line string) {
		if held = append(held, line); len(held) == kernellog.MaxWrapped {
			release()
		}
	}); err != nil {
		return log{}, err
	}
	for len(held) > 0 {
		release()
	}
	return found.finished()
}

// finished returns the log when all its lines are added. It returns an error if they are not of a kernel.
func (l log) finished() (log, error) {
	if l.first != nil {
		switch order := l.boots.Order(); {
		case order < 0:
			l.bootLines = *l.first
		case order == 0:
			l.facts, l.about = append(l.first.facts, l.facts...), append(l.first.about, l.about...)
		}
	}
	if l.boots.Order() < 0 {
		slices.Reverse(l.facts)
		slices.Reverse(l.about)
	}
	l.whole = l.boots.Whole()
	l.fold(kernellog.MaxLines)
	if l.events = kernellog.Parse(l.lines()); len(l.events) == 0 && !l.kernel {
		if l.system != "" {
			return log{}, fmt.Errorf("is a log of %s; give a log of Linux, or run `timebench doctor` on that machine", l.system)
		}
		return log{}, ErrUnknown
	}
	return l, nil
}

func (l *log) add(line string) {
	if back := l.stamps.Add(line); back != "" && len(l.about) < maxPending/2 {
		l.about = append(l.about, back)
	}
	if l.system == "" && !l.kernel && l.unknown < maxUnknown {
		l.system = systemOf(line)
		l.unknown++
	}
	concerns := kernellog.Concerns(line)
	in := func(text string) bool { return strings.Contains(line, text) }
	if !concerns && !slices.ContainsFunc(factual, in) {
		return
	}
	m := kernellog.Split(line)
	if m.Program && !concerns || m.Stamp == "" && !begins(m.Text) {
		return
	}
	line = strings.TrimSpace(m.Stamp + " " + m.Text)
	switch place := l.boots.Add(m); {
	case place == kernellog.Foreign:
	case place == kernellog.NewBoot:
		if l.first == nil {
			first := l.bootLines
			first.facts = append(first.facts, printable.Line(line))
			l.first = &first
		}
		l.bootLines = bootLines{facts: []string{printable.Line(line)}}
	case concerns:
		l.kernel = l.kernel || m.Kernel
		if l.about = append(l.about, kernellog.Shown(line)); len(l.about) >= maxPending {
			l.fold(maxPending / 2)
		}
	case len(l.facts) < maxFacts:
		l.facts = append(l.facts, printable.Line(line[:min(len(line), maxFact)]))
	}
}

// systems are the systems whose logs have other messages than Linux, and what only they log.
var systems = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"FreeBSD":            regexp.MustCompile(`(?:^|kernel: )(?:Timecounters? (?:"|tick)|FreeBSD \d)|^Copyright \(c\).*The FreeBSD Project`),
		"NetBSD":             regexp.MustCompile(`(?:^|\] )(?:NetBSD \d|timecounter: (?:Timecounter "|selected))`),
		"OpenBSD":            regexp.MustCompile(`^OpenBSD \d`),
		"illumos or Solaris": regexp.MustCompile(`\[ID \d+ \w+\.\w+\] |^SunOS Release \d|^illumos Version|^panic\[cpu\d+\]/thread=`),
		"macOS":              regexp.MustCompile(`(?:^|: )Darwin Kernel Version \d| com\.apple\.\S+\[\d+\]| mach_kernel : `),
	}
})

func systemOf(line string) string {
	for name, logs := range systems() {
		if logs.MatchString(line[:min(len(line), maxUnknown)]) {
			return name
		}
	}
	return ""
}

// begins returns whether a text begins like a message of the kernel. In a line without a stamp, a page or a program may
// also quote a message.
func begins(text string) bool {
	return kernellog.Begins(text) || slices.ContainsFunc(factual, func(told string) bool {
		before, _, found := strings.Cut(text, told)
		return found && kernellog.Leads(before)
	})
}

func (l *bootLines) fold(most int) {
	kept, incomplete := kernellog.Select(l.about, most)
	l.about, l.incomplete = kept, l.incomplete || incomplete
}

// lines returns all lines, the lines with facts first.
func (l *bootLines) lines() []string { return slices.Concat(l.facts, l.about) }

// architectures are the ends of releases of kernels, as distributions name them, with GOARCH.
var architectures = []struct{ end, name string }{
	{"amd64", "amd64"}, {"x86_64", "amd64"}, {"arm64", "arm64"}, {"aarch64", "arm64"}, {"ppc64le", "ppc64le"}, {"s390x", "s390x"}, {"riscv64", "riscv64"},
}

func architecture(release string) string {
	for _, a := range architectures {
		if strings.HasSuffix(release, a.end) {
			return a.name
		}
	}
	return ""
}

func (l log) kernelLog(source string) *result.KernelLog {
	log := &result.KernelLog{Source: printable.Line(source), Truncated: !l.whole || l.incomplete, Lines: l.about}
	if number := l.boots.Number(); number > 1 {
		log.Boots, log.Mixed = number, !l.boots.Separated()
	}
	return log
}

func ofLog(name string, text io.Reader) (*result.Document, error) {
	found, err := readLog(text)
	if err != nil {
		return nil, err
	}
	facts := result.Host{OS: "linux"}
	found.addTo(&facts)
	facts.KernelLog = found.kernelLog(path.Base(strings.ReplaceAll(name, `\`, "/")))
	return document(facts), nil
}

// addTo fills in facts from the log that the files of the machine do not have.
func (l log) addTo(facts *result.Host) {
	m := kernellog.MachineOf(l.events)
	facts.Arch = cmp.Or(facts.Arch, m.Arch, architecture(m.Kernel))
	facts.CPU.Model = cmp.Or(facts.CPU.Model, m.CPU)
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
	if facts.WSL == 0 && slices.ContainsFunc(l.events, func(e kernellog.Event) bool { return e.Kind == "wsl" }) {
		facts.WSL = 2
	}
	if facts.ClockSource == nil && m.ClockSource != "" {
		facts.ClockSource = &result.ClockSource{Current: m.ClockSource}
	}
}

const (
	// maxLines is the max number of lines of a text.
	maxLines = 1_000_000
	// maxRead is the max number of bytes to read of a line. A line of journald's JSON has many keys.
	maxRead = 64 << 10
)

// eachLine calls do with each line of a text, also if its line ends were lost. It returns an error if the text is too
// long. The first line with a stamp shows whether line ends were lost: in a whole text a line may quote others, as in
// the name of a file that the kernel prints.
func eachLine(r io.Reader, do func(line string)) error {
	limited := &io.LimitedReader{R: r, N: maxText + 1}
	buffered := bufio.NewReaderSize(limited, maxRead)
	rest, lines := "", 0
	stamped, joined := false, false // whether a line had a stamp, and whether the first one was several lines
	for {
		read, more, err := buffered.ReadLine()
		switch {
		case limited.N <= 0:
			return errTooLarge
		case errors.Is(err, io.EOF):
			if rest != "" {
				do(rest)
			}
			return nil
		case err != nil:
			return err
		}
		text := strings.TrimLeft(rest+string(read), "\r") // of a serial console
		if !more {
			text = strings.TrimSuffix(strings.TrimRight(text, " \t\r"), `\n`)
		}
		all := []string{kernellog.Plain(text)}
		if !stamped || joined {
			var parts []string
			for line := range strings.SplitSeq(text, "\r") {
				parts = append(parts, kernellog.Lines(line)...)
			}
			if i := slices.IndexFunc(parts, func(part string) bool { return kernellog.Split(part).Stamp != "" }); i >= 0 && !stamped {
				stamped, joined = true, len(parts) > 1 && !kernellog.Split(parts[i]).Program
			}
			if joined || !stamped {
				all = parts
			}
		}
		if rest = ""; more && len(all) > 1 { // the next read continues the last line
			all, rest = all[:len(all)-1], all[len(all)-1]
		}
		for more && rest == "" && err == nil { // the rest of a long line
			_, more, err = buffered.ReadLine()
		}
		if lines += len(all); lines > maxLines {
			return fmt.Errorf("has more than %d lines", maxLines)
		}
		for _, line := range all {
			do(line)
		}
	}
}

var dmesgJSON = regexp.MustCompile(`^\s*\{\s*"dmesg"\s*:\s*\[`) // matches the beginning of `dmesg --json`

const maxRecord = 64 << 10 // more than the size in bytes of any record in the output of `dmesg --json`

// eachRecord calls do with each message in the output of `dmesg --json`, as a line of dmesg.
func eachRecord(r io.Reader, do func(line string)) error {
	whole := &io.LimitedReader{R: r, N: maxText + 1}
	limited := &io.LimitedReader{R: whole, N: maxRecord}
	decoder := json.NewDecoder(limited)
	var err error
	for range 3 { // {"dmesg": [
		if _, err = decoder.Token(); err != nil {
			return err
		}
	}
	for lines := 0; decoder.More(); lines++ {
		var record struct {
			Facility string      `json:"fac"` // with --decode
			Priority any         `json:"pri"`
			Time     json.Number `json:"time"`
			Message  string      `json:"msg"`
		}
		err = decoder.Decode(&record)
		switch {
		case whole.N <= 0:
			return errTooLarge
		case err != nil:
			return fmt.Errorf("cannot be read as the output of `dmesg --json`: %w", err)
		case lines >= maxLines:
			return fmt.Errorf("has more than %d lines", maxLines)
		}
		limited.N = maxRecord
		line := record.Message
		if record.Time != "" {
			line = fmt.Sprintf("[%12s] %s", record.Time, line)
		}
		if record.Facility != "" {
			line = fmt.Sprintf("%s:%v: %s", record.Facility, record.Priority, line)
		} else if record.Priority != nil {
			line = fmt.Sprintf("<%v>%s", record.Priority, line)
		}
		do(line)
	}
	for range 2 { // the end of the list, and of the object
		if _, err = decoder.Token(); err != nil {
			if whole.N <= 0 {
				return errTooLarge
			}
			return fmt.Errorf("is cut off: %w", err)
		}
	}
	return eachLine(io.MultiReader(decoder.Buffered(), whole), do)
}
