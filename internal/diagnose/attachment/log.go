package attachment

import (
	"bufio"
	"bytes"
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
	"github.com/timebench/timebench/internal/show/words"
)

// A log is the last boot in a text.
type log struct {
	kernellog.LastBoot
	events  []kernellog.Event
	system  string // another system than Linux that wrote one of the first lines, of which unknown were searched
	unknown int
	// how many lines mention a clock, of all, and the first of them, to name it where timebench knows none
	mentions, lines int
	mention         string
	shows           []string // the faults of clocks that the other system logs
	kernels         bool     // whether one of the first lines looks like a line of a kernel
}

// maxUnknown bounds the lines, and their bytes, that are searched for the name of another system.
const maxUnknown = 1000

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
	l.events = l.Finish()
	ofDate := func(e kernellog.Event) bool { return e.Kind == "time-shown" }
	if len(slices.DeleteFunc(slices.Clone(l.events), ofDate)) == 0 && len(kernellog.Explain(l.events, kernellog.Machine{})) == 0 {
		l.events = nil // the time alone shows nothing
	}
	if len(l.events) == 0 && (!l.Kernel || l.system != "") {
		if l.system != "" {
			return log{}, fmt.Errorf("is a log of %s%s; give a log of Linux, or run `timebench doctor` on that machine",
				l.system, words.Either(len(l.shows) > 0, ", which shows that "+strings.Join(l.shows, ", and that "), ""))
		}
		return log{}, l.refused()
	}
	return l, nil
}

// refused returns an error that says what the text has instead of a message about clocks.
func (l *log) refused() error {
	const give = "; give the whole log (sudo dmesg, or journalctl -b), or the output of chronyc tracking or timedatectl"
	lines := words.Plural(l.lines, "line")
	has := lines + ", and none is a message about clocks that timebench knows"
	if l.mentions > 0 {
		has = fmt.Sprintf("%d of %s %s clocks, first %q, but none is a message that timebench knows",
			l.mentions, lines, words.Either(l.mentions == 1, "mentions", "mention"), l.mention)
	}
	if l.kernels {
		return fmt.Errorf("looks like a kernel log: %s, so it shows neither the clock source nor whether it is right%s", has, give)
	}
	return fmt.Errorf("%w: %s%s", ErrUnknown, has, give)
}

func (l *log) add(line string) {
	if l.unknown < maxUnknown { // FreeBSD's syslog names the kernel too
		if found := nameIn(systems(), line); found != "" && (l.system == "" || l.system == "a BSD") {
			l.system = found
		}
		if fault := nameIn(otherFaults(), line); fault != "" && !slices.Contains(l.shows, fault) {
			l.shows = append(l.shows, fault)
		}
		m := kernellog.Split(line)
		l.kernels = l.kernels || m.Kernel && !m.Program
		l.unknown++
	}
	if l.lines++; !l.Kernel && kernellog.Mentions(line) {
		if l.mentions++; l.mentions == 1 {
			const most = 60 // characters
			shown := []rune(kernellog.Shown(line))
			l.mention = string(shown[:min(len(shown), most)])
		}
	}
	l.Add(line)
}

// systems are the systems whose logs have other messages than Linux, and what only they log. The first that a line
// shows counts.
var systems = sync.OnceValue(func() []named {
	return []named{
		{"DragonFly BSD", regexp.MustCompile(`^kern\.cputimer\.|^DragonFly v?\d`)},
		{"FreeBSD", regexp.MustCompile(`(?:^|kernel: )(?:Timecounters? (?:"|tick)|FreeBSD \d|calcru: (?:runtime went|negative)|` +
			`t_delta \d+\.[0-9a-f]{16} too )|` +
			`^kern\.timecounter\.(?:\w+: .*\b(?:TSC-low|ACPI-(?:fast|safe)|HPET|i8254)\b|tc\.|smp_tsc|invariant_tsc|stepwarnings)|` +
			`^Copyright \(c\).*The FreeBSD Project`)},
		{"NetBSD", regexp.MustCompile(`(?:^|\] )(?:NetBSD \d|timecounter: (?:Timecounter "|selected))`)},
		{"OpenBSD", regexp.MustCompile(`^OpenBSD \d|^acpi(?:timer|hpet)\d+ at acpi\d+: \d+ Hz|` +
			`^kern\.timecounter\..*\b(?:acpitimer\d|acpihpet\d|pvclock\d)`)},
		{"a BSD", regexp.MustCompile(`^kern\.timecounter\.`)},
		{"illumos or Solaris", regexp.MustCompile(`\[ID \d+ \w+\.\w+\] |^SunOS Release \d|` +
			`^illumos Version|^panic\[cpu\d+\]/thread=`)},
		{"the Xen hypervisor", regexp.MustCompile(`^\(XEN\) `)},
		{"macOS", regexp.MustCompile(`(?:^|: )Darwin Kernel Version \d|` +
			` com\.apple\.\S+\[\d+\]| mach_kernel : `)},
	}
})

// otherFaults are the faults of clocks that other systems log: OpenBSD's sys/dev/clock_subr.c and tsc.c, which allows
// for a skew of 100 cycles, Xen's xen/arch/x86/time.c (plt_overflow, dump_softtsc), and FreeBSD's
// sys/kern/kern_resource.c, kern_tc.c (tc_ticktock, cpu_tick_calibrate) and timecounters(4).
var otherFaults = sync.OnceValue(func() []named {
	return []named{
		{"the firmware doubts the battery of the real-time clock", regexp.MustCompile(`^RTC BIOS diagnostic error [0-9a-f]+<(?:\w+,)*clock_battery\b`)},
		{"the real-time clock had no valid time", regexp.MustCompile(`WARNING: (?:clock lost \d+ days|preposterous (?:TOD clock|clock chip) time)`)},
		{"the firmware found no valid time in the real-time clock", regexp.MustCompile(`^RTC BIOS diagnostic error [0-9a-f]+<(?:\w+,)*invalid_time\b`)},
		{"the TSCs of the CPUs differ", regexp.MustCompile(`^\(XEN\) TSC (?:warp detected|(?:has|marked|not marked) .*\bwarp ?= ?[1-9])|\bTSC skew=-?\d{4,}|\bdisabling user TSC \(skew=`)},
		{"Xen read its platform timer too late, as where the host hangs or sleeps",
			regexp.MustCompile(`^\(XEN\) Platform timer appears to have unexpectedly wrapped`)},
		{"the rate of the CPUs' timers (local APIC) was not measured well, so they may end early or late",
			regexp.MustCompile(`^Statistical lapic calibration failed!`)},
		{"the time of a process ran backwards (the TSC has a wrong rate, or it changes)",
			regexp.MustCompile(`\bcalcru: (?:runtime went backwards|negative runtime)`)},
		{"16 s of timer ticks are not 16 s of the timecounter (late ticks, or a wrong timecounter)",
			regexp.MustCompile(`(?:^|kernel: )\s*t_delta \d+\.[0-9a-f]{16} too (?:long|short)`)},
		{"FreeBSD does not trust the TSC (a quality below 0: do not select it)",
			regexp.MustCompile(`^kern\.timecounter\.choice: .*\bTSC(?:-low)?\(-\d|` +
				`(?:^|kernel: )Timecounter "TSC(?:-low)?" frequency \d+ Hz quality -\d`)},
		{"its timecounter takes 1 µs or more per read (sysctl kern.timecounter.hardware selects the TSC, if that has the largest " +
			"quality of kern.timecounter.choice)",
			regexp.MustCompile(`^kern\.timecounter\.hardware: (?:ACPI-\w+|HPET|i8254)$`)},
	}
})

// A named is an expression with the name of what it shows.
type named struct {
	name  string
	shows *regexp.Regexp
}

// nameIn returns the name of the first expression that matches a line; "" without one.
func nameIn(all []named, line string) string {
	for _, one := range all {
		if one.shows.MatchString(line[:min(len(line), maxUnknown)]) {
			return one.name
		}
	}
	return ""
}

// architectures are the ends of releases of kernels, as distributions name them, with GOARCH.
var architectures = []struct{ end, name string }{
	{"amd64", "amd64"}, {"x86_64", "amd64"}, {"arm64", "arm64"}, {"aarch64", "arm64"}, {"ppc64le", "ppc64le"},
	{"s390x", "s390x"}, {"riscv64", "riscv64"},
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
	log := &result.KernelLog{Source: printable.Line(source), Truncated: !l.Whole() || l.Incomplete, Lines: l.Lines}
	if number, mixed := l.Boots(); number > 1 {
		log.Boots, log.Mixed = number, mixed
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

func (l log) has(kind string) bool {
	return slices.ContainsFunc(l.events, func(e kernellog.Event) bool { return e.Kind == kind })
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
		if facts.BootParameters == nil && l.has("command-line") {
			facts.BootParameters = []string{} // known to have none
		}
	}
	if facts.Virtualization == nil && m.Guest {
		facts.Virtualization = &result.Virtualization{System: cmp.Or(m.Hypervisor, "unknown"), Role: "guest"}
	}
	if facts.Machine == nil && m.Firmware != "" {
		facts.Machine = &result.Machine{Product: printable.Line(m.Firmware)}
	}
	if facts.WSL == 0 && l.has("wsl") {
		facts.WSL = 2
	}
	if facts.ClockSource == nil && m.ClockSource != "" {
		facts.ClockSource = &result.ClockSource{Current: m.ClockSource, Available: m.Offered}
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
	rest, lines, soft := "", 0, false // soft is whether rest ended in a soft line break
	stamped, joined := false, false   // whether a line had a stamp, and whether the first one was several lines
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
		line := string(read)
		if soft {
			line = quotes.ReplaceAllString(line, "")
		}
		ended := !more && encodedEnd.MatchString(line)
		if ended {
			line = encodedEnd.ReplaceAllString(line, "")
		}
		if soft = !more && !ended && isSoft(read) && len(rest) < maxRead; soft {
			rest += line[:len(line)-1]
			continue
		}
		text := strings.TrimLeft(rest+line, "\r\x00") // of a serial console, or after a power cut
		if more && text == "" {
			continue
		}
		if !more {
			text = strings.TrimSuffix(strings.TrimRight(text, " \t\r"), `\n`)
		}
		all := []string{kernellog.Plain(text)}
		if !stamped || joined {
			var parts []string
			for line := range strings.SplitSeq(text, "\r") {
				parts = append(parts, kernellog.Lines(line)...)
			}
			hasStamp := func(part string) bool { return kernellog.Split(part).Stamp != "" }
			if i := slices.IndexFunc(parts, hasStamp); i >= 0 && !stamped {
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

// quotes are the marks of a quotation in a mail.
var quotes = regexp.MustCompile(`^(?:> ?)+`)

// encodedEnd matches a line end that quoted-printable wrote as a character, also with a soft line break behind it.
var encodedEnd = regexp.MustCompile(`=0A=?$`)

// isSoft returns whether a line of a mail goes on in the next one: quoted-printable has at most 76 characters in a
// line. A line of base64 may end in "=" too, but has no space.
func isSoft(line []byte) bool {
	const least, most = 74, 76
	return len(line) >= least && len(line) <= most && line[len(line)-1] == '=' && bytes.IndexByte(line, ' ') >= 0
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
			if typed := (*json.UnmarshalTypeError)(nil); errors.As(err, &typed) {
				err = fmt.Errorf("%q is a %s", typed.Field, typed.Value)
			}
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
