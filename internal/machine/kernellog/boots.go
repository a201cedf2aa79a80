package kernellog

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/show/words"
)

// A place is the position of a message among the boots of a log.
type place int

const (
	sameBoot       place = iota // it is of the boot of the message before
	newBoot                     // it is the first one of a boot
	perhapsNewBoot              // the same where neither a time since boot nor the order of the dates confirms it
	foreign                     // it only looks like the first message of a boot: any program can write such a line to a log
)

// boots separates the boots in a log by its messages, in the order of the text. A boot begins only where the time since
// boot does, or where the kernel says so and the dates do not go back.
type boots struct {
	last          Message
	begun         int // how many boots began
	before, after int // how many messages there are before the first of them, and since the last
	rises, falls  int // how often a stamp is later than the one before, or earlier
	timed         bool
	unsure        bool // whether a boot may have begun where a program wrote the line
}

const nearZero = 10e9 // a time after boot at which a boot may begin, in ns

// add adds a message, which may report a step of the wall clock, in ns. It returns its place.
func (b *boots) add(m Message, stepNS float64) place {
	begins := beginsBoot(m.Text)
	if begins && (m.AtNS > nearZero || m.Timed && !b.last.Timed && b.before+b.after > 0 || !m.Timed && b.timed) {
		return foreign
	}
	if m.Timed && !b.timed { // the stamps before are of another kind
		*b = boots{timed: true}
	}
	if !begins && !beginsBoot(b.last.Text) {
		switch compareStamps(b.last, m) {
		case -1:
			b.rises++
		case 1:
			if !steppedBack(b.last, m, stepNS) {
				b.falls++
			}
		}
	}
	_, dated := dateOf(m.Stamp)
	sure := m.Timed || m.Kernel && dated && release().MatchString(m.Text) && compareStamps(b.last, m) <= 0
	b.last = m
	switch {
	case begins:
		b.begun++
		b.after = 0
		b.unsure = b.unsure || !sure
		return words.Either(sure, newBoot, perhapsNewBoot)
	case b.begun == 0:
		b.before++
	default:
		b.after++
	}
	return sameBoot
}

// order returns 1 if the newest message is the last of the log, -1 if it is the first, and 0 if that is unknown.
func (b *boots) order() int {
	order := cmp.Compare(b.rises, b.falls)
	switch {
	case b.begun > 0 && b.before == 0:
		return 1
	case b.begun > 0 && b.after == 0 && order == 0:
		return -1
	}
	return order
}

// number returns how many boots the log has.
func (b *boots) number() int {
	others := words.Either(b.order() < 0, b.after, b.before) // they are of a boot whose first message is missing
	return max(b.begun+min(others, 1), 1)
}

// separated returns whether add returned newBoot where a boot begins.
func (b *boots) separated() bool { return !b.unsure && b.order() != 0 || b.number() == 1 }

// beginsBoot returns whether a text is the first message of a boot, except for one line on Arm: Linux's, or gVisor's.
func beginsBoot(text string) bool {
	return strings.HasPrefix(text, "Linux version ") || strings.HasPrefix(text, "Starting gVisor")
}

// release matches the first message of Linux with its release and who built it. A program can write to the log in the
// kernel's name, but has no reason to write that.
var release = lazily(`^Linux version \d+\.\d\S* \(\S+@`)

// compareStamps returns -1 if message a has the earlier stamp, 1 if it has the later one; 0 if unknown.
func compareStamps(a, b Message) int {
	if a.Timed && b.Timed {
		return cmp.Compare(a.AtNS, b.AtNS)
	}
	at, known := dateOf(a.Stamp)
	then, also := dateOf(b.Stamp)
	if a.Timed || b.Timed || !known || !also {
		return 0
	}
	return at.Compare(then)
}

// steppedBack returns whether a step of the wall clock explains that a message has an earlier date than the one above.
func steppedBack(above, m Message, stepNS float64) bool {
	const tolerance = 60e9 // ns
	from, _ := dateOf(above.Stamp)
	to, _ := dateOf(m.Stamp)
	return stepNS < 0 && math.Abs(float64(to.Sub(from))-stepNS) < tolerance
}

// dateOf returns the date in a stamp, with year 0 if the stamp has no year.
func dateOf(stamp string) (time.Time, bool) {
	stamp = strings.Join(strings.Fields(strings.Trim(stamp, "[]")), " ")
	if date, sum, ok := strings.Cut(stamp, " +"); ok && !strings.Contains(sum, ":") { // of a sums
		at, ok := dateOf(date)
		since, err := time.ParseDuration(sum + "s")
		return at.Add(since), ok && err == nil
	}
	const iso = "2006-01-02 15:04:05"
	if len(stamp) >= len(iso) {
		if at, err := time.Parse(iso, strings.Replace(stamp[:len(iso)], "T", " ", 1)); err == nil {
			return at, true
		}
	}
	for _, layout := range []string{
		"Jan 2 15:04:05", "2 Jan 15:04:05", "Jan 2 15:04", "Jan2 15:04", "Mon Jan 2 15:04:05 2006", "Jan 2 2006 15:04:05", "2006 Jan 2 15:04:05",
	} {
		if at, err := time.Parse(layout, stamp); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
