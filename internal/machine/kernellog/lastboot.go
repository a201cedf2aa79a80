package kernellog

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/printable"
)

// A LastBoot collects the lines of the last boot in a log that concern clocks, and the lines with facts of the machine,
// in bounded memory. The zero value is ready: [LastBoot.Add] the lines in the order of the text, then
// [LastBoot.Finish].
type LastBoot struct {
	// KernelOnly is whether the caller adds only lines that the kernel of this machine wrote. A line that looks like
	// the first of a boot is one then, also without a time since boot.
	KernelOnly bool
	Kernel     bool // whether the kernel wrote a line that concerns clocks, by the prefix of its text
	bootLines       // of the boot that is being read; of the last boot when finished
	// first has the lines of the first boot of the text, which is the last boot if the newest line comes first; nil
	// while it is being read.
	first  *bootLines
	boots  boots
	stamps stamps
	dates  dates
	turns  turns
	sums   sums
	off    Event // the last offset of the wall clock, until a line with another stamp follows
	pastes pastes
	// stepped is the machine whose wall clock was stepped first; "" if its lines do not name it.
	stepped string
	host    string            // the machine in the prompt above the first line about clocks; "" without one
	others  bool              // whether another machine printed a later line
	read    map[string]string // the lines with what sysfs had, by the file
}

// bootLines are the lines of a boot.
type bootLines struct {
	Lines      []string // the lines that concern clocks, with repeated ones folded
	Incomplete bool     // whether lines that concern clocks were left out
	facts      []string // lines with facts of the machine that do not concern clocks
}

const (
	// maxPending is the number of lines that concern clocks at which repeated lines are folded. It bounds the memory.
	maxPending = 4096
	// maxFacts and maxFact bound the lines with facts, and their bytes.
	maxFacts, maxFact = 256, 4096
)

// anew has, by the first words of a command's output, the rows of earlier outputs to drop: the last output shows what is
// so now. The commands are chronyc sources, ntpq -p, chronyc tracking and timedatectl.
var anew = map[string]func() *regexp.Regexp{
	"MS Name/IP address": lazily(`^[\^#=]`), "remote ": lazily(`^ntpq: `), "Leap status": lazily(`^Leap status`),
	"System time ": lazily(`^System time `), "Universal time": lazily(`^(?:System clock|NTP) synchronized`),
}

// chronycRow matches a row of chronyc sources.
var chronycRow = lazily(`^[\^#=][*+?x~-] ?(\S+) +\d+ +-?\d+ +[0-7]{1,3} `)

// Add adds a line. It ignores a line that neither concerns clocks nor has facts of the machine, and a line without a
// stamp in which a page or a program may only quote the kernel.
func (b *LastBoot) Add(line string) {
	line = b.sums.dated(line)
	line = b.pastes.named(line)
	if back := b.stamps.Add(line); back != "" && len(b.Lines) < maxPending/2 {
		b.Lines = append(b.Lines, back)
	}
	if back := b.dates.Add(line); back != "" && len(b.Lines) < maxPending/2 {
		b.Lines = append(b.Lines, back)
	}
	if b.off.Kind != "" {
		if m := Split(line); m.Stamp != "" && m.Stamp != b.off.Stamp {
			if jumped := b.off.corrected(m); jumped != "" {
				b.Lines = append(b.Lines, jumped)
			}
			b.off = Event{}
		}
	}
	m, f, about := judge(line)
	if f != nil && f.kind == "time-off" {
		b.off = f.event(m)
	}
	if about && f != nil && f.anywhere {
		m.Text = f.expression().FindString(m.Text)
	}
	if !about && (f == nil || m.Program) || m.Stamp == "" && f == nil && !m.Kernel {
		return
	}
	line = strings.TrimSpace(m.Stamp + " " + m.Text)
	if about {
		b.host = cmp.Or(b.host, b.pastes.host)
	}
	if about && b.host != b.pastes.host && !b.others {
		b.others = true
		b.Lines = append(b.Lines, Shown("(the next lines are of another machine: "+b.pastes.host+")"))
	}
	for begins, rows := range anew {
		if about && !b.others && m.Stamp == "" && strings.HasPrefix(m.Text, begins) {
			b.Lines = slices.DeleteFunc(b.Lines, rows().MatchString)
		}
	}
	if row := chronycRow().FindStringSubmatch(m.Text); about && m.Stamp == "" && row != nil && !b.others { // again, without the head
		again := func(line string) bool {
			if !strings.Contains(line, row[1]) { // faster than the expression
				return false
			}
			above := chronycRow().FindStringSubmatch(line)
			return above != nil && above[1] == row[1]
		}
		if slices.ContainsFunc(b.Lines, again) {
			b.Lines = slices.DeleteFunc(b.Lines, chronycRow().MatchString)
		}
	}
	if f != nil && strings.HasPrefix(f.kind, "clocksources-") {
		if b.read == nil {
			b.read = map[string]string{}
		}
		b.read[f.kind] = Shown(line)
		return
	}
	if m.Kernel && Split(line).Program { // "BIOS BUG: CPU#2 …" looks like a host and a program behind a date
		line = m.Stamp + " kernel: " + m.Text
	}
	fact := printable.Line(line[:min(len(line), maxFact)])
	var step Event
	if f != nil && f.kind == "stepped" {
		step = f.event(m)
		if b.stepped = cmp.Or(b.stepped, m.Host); m.Host != "" && m.Host != b.stepped { // in the log of several machines
			return
		}
		if turn := b.turns.add(m); turn != "" {
			b.Lines = append(b.Lines, turn)
		}
	}
	switch place := b.boots.add(m, step.StepNS); {
	case place == foreign:
	case place == newBoot, place == perhapsNewBoot && b.KernelOnly:
		if b.first == nil && !b.KernelOnly {
			first := b.bootLines
			first.facts = append(first.facts, fact)
			b.first = &first
		}
		b.bootLines, b.turns = bootLines{facts: []string{fact}}, turns{}
		if about { // gVisor's, which is a cause
			b.Lines = []string{Shown(line)}
		}
	case about:
		b.Kernel = b.Kernel || m.Kernel
		if b.Lines = append(b.Lines, Shown(line)); len(b.Lines) >= maxPending {
			b.fold(maxPending / 2)
		}
	case len(b.facts) < maxFacts:
		b.facts = append(b.facts, fact)
	}
}

// Finish leaves the lines that a document keeps, and returns the events of the last boot, also of lines with facts.
func (b *LastBoot) Finish() []Event {
	order := b.boots.order()
	switch {
	case b.first == nil:
	case order < 0:
		b.bootLines = *b.first
	case order == 0:
		b.facts, b.Lines = append(b.first.facts, b.facts...), append(b.first.Lines, b.Lines...)
	}
	if order < 0 && !b.KernelOnly {
		slices.Reverse(b.facts)
		slices.Reverse(b.Lines)
	}
	for _, kind := range slices.Sorted(maps.Keys(b.read)) { // at any place, as the machine is now
		b.Lines = append(b.Lines, b.read[kind])
	}
	events := Parse(slices.Concat(b.facts, b.Lines))
	b.fold(MaxLines)
	return events
}

func (l *bootLines) fold(most int) {
	kept, incomplete := Select(l.Lines, most)
	l.Lines, l.Incomplete = kept, l.Incomplete || incomplete
}

// Whole is whether the log has the first message of a boot.
func (b *LastBoot) Whole() bool { return b.boots.begun > 0 }

// Boots returns how many boots the log has, and whether their lines are mixed.
func (b *LastBoot) Boots() (number int, mixed bool) { return b.boots.number(), !b.boots.separated() }
