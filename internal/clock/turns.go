//go:build (linux || windows) && (amd64 || arm64)

package clock

import "sync/atomic"

const (
	turn = 1 << 32 // ticks until a counter of 32 bits begins anew
	// longestRead is how long the reads of one call may take, and refreshed after how
	// long a sighting is replaced; both in ticks.
	longestRead = turn / 8
	refreshed   = turn / 16
)

// turns makes of a counter of 32 bits one of 64. All Readers of a device share one, so
// that their values can be compared, whenever each was opened and however seldom it reads.
//
// A second clock tells how often the counter has begun anew: a sighting is a value of 64
// bits with the second clock's time, and from it follows about which value the counter
// has now. Of all values with the lower 32 bits that were read, the nearest to that is
// the true one, as long as the expected one is less than half a turn away from it. What
// it can be away: an eighth of a turn, since reads that took longer are made again; an
// eighth that the sighting itself may be off; and what the stated rate is off in the time
// since the sighting. A sighting that has become older is replaced at the next read. That
// leaves a quarter of a turn: a rate that is off by 500 ppm, the most that the HPET's
// specification allows, takes 500 turns without any read to get there.
//
// The proof needs no order between threads. Every sighting is a true pair of a value and
// a time, so each leads to the same value of 64 bits, whoever took it and whoever replaces
// it meanwhile. Only the first sighting chooses a turn to count from, and one alone is
// ever first.
type turns struct {
	perNS float64 // ticks a nanosecond
	seen  atomic.Pointer[sighting]
}

// A sighting is a value of 64 bits, and when it was read by the second clock.
type sighting struct{ ticks, ns int64 }

func newTurns(hz float64) *turns { return &turns{perNS: hz / 1e9} }

// read has load fill the ticks, of which the lower 32 bits count, and makes of them values
// of 64 bits. now is the second clock, in nanoseconds: any that is never set, the same for
// all Readers.
func (t *turns) read(ticks []int64, load func([]int64), now func() int64) {
	for {
		before := now()
		load(ticks)
		// A thread that was stopped between two reads has lost count.
		if float64(now()-before)*t.perNS < longestRead {
			t.unwrap(ticks, before)
			return
		}
	}
}

// unwrap makes values of 64 bits of those that were read at the time.
func (t *turns) unwrap(ticks []int64, ns int64) {
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
	if passed > refreshed {
		t.seen.CompareAndSwap(last, &sighting{ticks[0], ns})
	}
}
