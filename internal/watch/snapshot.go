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

// A snapshot is what one turn sees.
type snapshot struct {
	at time.Time
	// source is the kernel's clock source; "" if it has no name.
	source   string
	timeSync *result.TimeSync
	// rtcSeconds is the real-time clock, and bootNS and wallNS the clocks beside it; hasRTC is whether there is one.
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
	// still is the slice at which the stopwatch counts as stopped.
	still = time.Second
)

// A subject is a clock of the reader. The last one is the empty call.
type subject struct {
	reader clock.Reader
	err    error
	readNS float64 // of the last slice
	slices []float64
}

// A reader reads clocks in each turn, always with the same readers. It is not safe for concurrent use.
type reader struct {
	clocks   []clock.Clock
	subjects []*subject
	source   string // at the last turn
	entries  []entry.Verdict
	// cheap is whether kernel entry can be proven without a measurement that takes long.
	cheap bool
}

func newReader(clocks []clock.Clock) *reader { return &reader{clocks: clocks} }

func (r *reader) snapshot() snapshot {
	// Without a file descriptor it cannot be read, which is no change.
	l := snapshot{source: cmp.Or(host.CurrentClockSource(), r.source), timeSync: host.TimeSync()}
	if r.source != l.source || r.subjects == nil {
		observe.TryStopwatch() // it reads the clock source too
	}
	l.rtcSeconds, l.hasRTC = host.RTCSeconds()
	m := now()
	l.at, l.bootNS, l.wallNS = m.at, m.wall.Middle(), m.wall.Value
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
			if s.reader != nil && span < still {
				s.take(span)
			}
		}
	}
}

func (r *reader) open() {
	for _, c := range r.clocks {
		s := &subject{}
		s.reader, s.err = c.Open()
		r.subjects = append(r.subjects, s)
	}
	floor := &subject{}
	floor.reader, floor.err = clock.OpenFloor()
	r.subjects = append(r.subjects, floor)
}

// take times one slice. If it was too short, because reads have become faster, it is timed again.
func (s *subject) take(span time.Duration) {
	for range 2 {
		if s.readNS == 0 {
			s.readNS = observe.ReadNS(s.reader)
		}
		ns := observe.TimeReads(s.reader, s.readNS, span, span)[0]
		if s.err = clock.Failure(s.reader); s.err != nil {
			return
		}
		if ns >= s.readNS/2 {
			s.readNS = ns
			s.slices = append(s.slices, ns)
			return
		}
		s.readNS = 0
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
