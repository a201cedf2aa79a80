package watch

import (
	"cmp"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A look is what one turn sees.
type look struct {
	at time.Time
	// source is the kernel's clock source; "" if it has no name.
	source   string
	timeSync *result.TimeSync
	// rtcSeconds is the real-time clock, and bootNS and wallNS the clocks beside it; hasRTC is whether
	// there is one.
	hasRTC                     bool
	rtcSeconds, bootNS, wallNS int64
	// clocks are in the order of Settings.Clocks, and floorNS the cost of an empty call; 0 if unknown.
	clocks  []compare.Clock
	floorNS float64
}

// How long a turn reads each clock.
const (
	// slice is the span between two readings of the stopwatch, longer if that is slow or coarse.
	slice = 50 * time.Microsecond
	// sliceInCosts and sliceInTicks are the shortest slice in costs and ticks of the stopwatch, so that its
	// readings are at most one part in a hundred.
	sliceInCosts = 100
	sliceInTicks = 5
	// budget is the span of all slices of a turn, and rounds the least and the most slices of a clock: a
	// confidence interval needs six. With the clock source jiffies six would take half a second.
	budget                  = 10 * time.Millisecond
	minRounds, mostRounds   = 6, 16
	longSlice, roundsIfLong = 2 * time.Millisecond, 1
	// mostReads bounds the reads of a slice if the stopwatch stands still.
	mostReads = 1 << 24
)

// A subject is a clock of the reader. The last one is the empty call.
type subject struct {
	id     string
	reader clock.Reader
	err    error
	readNS float64 // of the last slice; 0 before the first
	slices []float64
}

// A reader reads clocks in each turn, always with the same readers. It is not for several goroutines.
type reader struct {
	clocks   []clock.Clock
	subjects []*subject
	source   string // at the last turn
	entries  []entry.Verdict
	// cheap is whether kernel entry can be proven without a measurement that takes long.
	cheap bool
}

func newReader(clocks []clock.Clock) *reader { return &reader{clocks: clocks} }

// look takes a turn.
func (r *reader) look() look {
	// Without a file descriptor it cannot be read, which is no change.
	l := look{source: cmp.Or(host.CurrentClockSource(), r.source), timeSync: host.TimeSync()}
	if r.source != l.source || r.subjects == nil {
		observe.TryStopwatch() // it reads the clock source too
	}
	l.rtcSeconds, l.hasRTC = host.RTCSeconds()
	m := now()
	l.at, l.bootNS, l.wallNS = m.at, m.bootNS, m.wallNS
	if err := thread.Run(thread.Any, r.read); err != nil {
		return l // without a thread no clock has a figure in this turn
	}
	r.prove(r.source != l.source)
	r.source = l.source
	for i, c := range r.clocks {
		s := r.subjects[i]
		seen := compare.Clock{ID: c.ID, Call: c.Call, Path: string(c.Path), Kind: string(c.Kind), Available: s.err == nil}
		if s.err != nil {
			seen.Reason = s.err.Error()
		} else {
			seen.KernelEntry, seen.KernelEntryBy = r.entries[i].Enters, r.entries[i].By
			if len(s.slices) > 0 {
				seen.Latency = compare.LatencyOf(s.slices, s.slices)
			}
		}
		l.clocks = append(l.clocks, seen)
	}
	if floor := r.subjects[len(r.clocks)]; len(floor.slices) > 0 {
		l.floorNS = compare.CostOf(floor.slices)
	}
	return l
}

// read times slices of all clocks in turn, so that a disturbance meets all alike. It runs on a thread of
// package thread.
func (r *reader) read() {
	if r.subjects == nil {
		r.open()
	}
	span := max(slice, sliceInCosts*observe.StopwatchCost(), sliceInTicks*observe.StopwatchTick())
	rounds := max(minRounds, min(mostRounds, int(budget/span)/len(r.subjects)))
	if span > longSlice {
		rounds = roundsIfLong
	}
	for _, s := range r.subjects {
		s.slices = nil
	}
	for range rounds {
		for _, s := range r.subjects {
			s.take(span, observe.Now)
		}
	}
}

func (r *reader) open() {
	for _, c := range r.clocks {
		s := &subject{id: c.ID}
		s.reader, s.err = c.Open()
		r.subjects = append(r.subjects, s)
	}
	floor := &subject{}
	floor.reader, floor.err = clock.OpenFloor()
	r.subjects = append(r.subjects, floor)
}

// take times one slice. The first slice of a clock whose cost is unknown, or has changed twofold, only tells
// how many reads fit into one.
func (s *subject) take(span time.Duration, stopwatch func() int64) {
	if s.reader == nil {
		return
	}
	for {
		n := 1
		if s.readNS > 0 {
			n = max(1, min(mostReads, int(float64(span)/s.readNS)))
		}
		begun := stopwatch()
		s.reader.Spin(n)
		took := stopwatch() - begun
		if s.err = clock.Failure(s.reader); s.err != nil {
			return
		}
		if took >= int64(span)/2 {
			s.readNS = float64(took) / float64(n)
			s.slices = append(s.slices, s.readNS)
			return
		}
		if n == mostReads { // the stopwatch stands still
			return
		}
		// At most tenfold at a time: the stopwatch may be coarse.
		s.readNS = max(float64(took)/float64(n), float64(span)/float64(10*n))
	}
}

// prove finds out whether reads enter the kernel: in each turn by a seccomp filter; without one, where the
// proof takes long, only under another clock source.
func (r *reader) prove(changed bool) {
	if r.entries != nil && !r.cheap && !changed {
		return
	}
	r.entries = clock.KernelEntries(r.clocks)
	r.cheap = slices.ContainsFunc(r.entries, func(v entry.Verdict) bool { return v.By == "seccomp" })
}
