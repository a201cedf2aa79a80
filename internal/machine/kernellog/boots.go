package kernellog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Place is the position of a message among the boots of a log.
type Place int

const (
	// SameBoot means that the message is of the boot of the message before.
	SameBoot Place = iota
	// NewBoot means that the message is the first one of a boot.
	NewBoot
	// PerhapsNewBoot means the same in a log without times since boot, where any program may have written it.
	PerhapsNewBoot
	// Foreign means that the message only looks like the first one of a boot: any program can write one to a log.
	Foreign
)

// Boots separates the boots in a log by its messages, in the order of the text. A boot begins only where the time since
// boot does.
type Boots struct {
	last          Message
	begun         int // how many boots began
	before, after int // how many messages there are before the first of them, and since the last
	rises, falls  int // how often a stamp is later than the one before, or earlier
	timed         bool
}

// nearZero is a time after boot at which a boot may begin, in ns.
const nearZero = 10e9

// Add adds a message and returns its place.
func (b *Boots) Add(m Message) Place {
	begins := beginsBoot(m.Text)
	if begins && (m.AtNS > nearZero || m.Timed && !b.last.Timed && b.before+b.after > 0 || !m.Timed && b.timed) {
		return Foreign
	}
	if m.Timed && !b.timed { // the stamps before are of another kind
		*b = Boots{timed: true}
	}
	if !begins && !beginsBoot(b.last.Text) {
		switch compareStamps(b.last, m) {
		case -1:
			b.rises++
		case 1:
			b.falls++
		}
	}
	b.last = m
	switch {
	case begins:
		b.begun++
		b.after = 0
		if m.Timed {
			return NewBoot
		}
		return PerhapsNewBoot
	case b.begun == 0:
		b.before++
	default:
		b.after++
	}
	return SameBoot
}

// Order returns 1 if the newest message is the last of the log, -1 if it is the first, and 0 if that is unknown.
func (b *Boots) Order() int {
	order := cmp.Compare(b.rises, b.falls)
	switch {
	case b.begun > 0 && b.before == 0:
		return 1
	case b.begun > 0 && b.after == 0 && order == 0:
		return -1
	}
	return order
}

// Number returns how many boots the log has.
func (b *Boots) Number() int {
	others := b.before // they are of a boot whose first message is missing
	if b.Order() < 0 {
		others = b.after
	}
	return max(b.begun+min(others, 1), 1)
}

// Whole is whether the log has the first message of a boot.
func (b *Boots) Whole() bool { return b.begun > 0 }

// Separated is whether Add returned NewBoot where a boot begins.
func (b *Boots) Separated() bool { return b.timed && b.Order() != 0 || b.Number() == 1 }

// beginsBoot returns whether a text is the first message of a boot, except for one line on Arm: Linux's, or gVisor's.
func beginsBoot(text string) bool {
	return strings.HasPrefix(text, "Linux version ") || strings.HasPrefix(text, "Starting gVisor")
}

// calendar matches the month, the day and the time in a stamp whose month is a name.
var calendar = lazily(`(` + months + `) *(\d{1,2}) (?:\d{4} )?([\d:]+)`)

// compareStamps returns -1 if message a has the earlier stamp, 1 if it has the later one; 0 if unknown.
func compareStamps(a, b Message) int {
	switch {
	case a.Timed && b.Timed:
		return cmp.Compare(a.AtNS, b.AtNS)
	case a.Timed || b.Timed || a.Stamp == "" || b.Stamp == "":
		return 0
	}
	return cmp.Compare(sortable(a.Stamp), sortable(b.Stamp))
}

func sortable(stamp string) string {
	found := calendar().FindStringSubmatch(stamp)
	if found == nil { // an ISO date
		return stamp
	}
	month := slices.Index(strings.Split(strings.Trim(months, "(?:)"), "|"), found[1])
	return fmt.Sprintf("%c%2s%s", 'a'+month, found[2], found[3])
}
