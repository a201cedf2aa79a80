//go:build linux || windows || darwin

package clock

import "sync/atomic"

const (
	wrap = 1 << 32 // ticks from one wrap of a 32-bit counter to the next
	// maxRead is how long a call may read, and refreshAfter the age at which a
	// sighting is replaced; both in ticks.
	maxRead      = wrap / 8
	refreshAfter = wrap / 16
)

// wraps extends a 32-bit counter to 64 bits. All Readers of a device share one, so that their
// values can be compared, whenever each was opened and however rarely it reads.
//
// A second clock counts the wraps. A sighting is a 64-bit value with the time of the second
// clock. It predicts the value of the counter now. Among the 64-bit values with the lower 32
// bits that were read, the one nearest to the prediction is correct, as long as the prediction
// is off by less than half a wrap. It can be off by an eighth of a wrap, because longer reads
// are repeated; by another eighth, the error of the sighting itself; and by the error of the
// rate since the sighting. A sighting that is too old is replaced at the next read. That leaves
// a quarter of a wrap: at an error of 500 ppm, the most that the HPET specification allows, it
// takes 500 wraps without a read to use that up.
//
// The proof needs no order between threads. Every sighting is a correct pair of a value and a
// time. So each leads to the same 64-bit value, whoever took it, and whoever replaces it
// meanwhile. Only the first sighting decides where to count from, and only one is the first.
type wraps struct {
	perNS float64 // ticks per nanosecond
	seen  atomic.Pointer[sighting]
}

// A sighting is a 64-bit value, and the time of the second clock when it was read.
type sighting struct{ ticks, ns int64 }

func newWraps(hz float64) *wraps { return &wraps{perNS: hz / 1e9} }

// read calls load to fill the lower 32 bits of the ticks, and extends them to 64 bits. now is the second clock in
// nanoseconds: never set, and the same for all Readers.
func (t *wraps) read(ticks []int64, load func([]int64), now func() int64) {
	for {
		before := now()
		load(ticks)
		// If the thread was stopped for longer between two reads, the wraps cannot be counted.
		if float64(now()-before)*t.perNS < maxRead {
			t.unwrap(ticks, before)
			return
		}
	}
}

// unwrap extends the ticks that were read at the time ns to 64 bits.
func (t *wraps) unwrap(ticks []int64, ns int64) {
	last := t.seen.Load()
	if last == nil {
		last = &sighting{int64(uint32(ticks[0])), ns}
		if !t.seen.CompareAndSwap(nil, last) {
			last = t.seen.Load()
		}
	}
	passed := float64(ns-last.ns) * t.perNS
	expected := last.ticks + int64(passed)
	for i, tick := range ticks {
		ticks[i] = expected + int64(int32(uint32(tick)-uint32(expected)))
	}
	if passed > refreshAfter {
		t.seen.CompareAndSwap(last, &sighting{ticks[0], ns})
	}
}
