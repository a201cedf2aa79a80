package skew

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// A mailbox is where one CPU tells the other of a round. The value is stored before the
// round, and carries the reading: whoever sees the round knows that the reading was made.
type mailbox struct {
	round atomic.Int64
	value atomic.Int64
	_     [thread.CacheLine - 16]byte
}

// An exchanged is what two CPUs found out.
type exchanged struct {
	// best is the best round trip, of all that there were: what the other CPU read, between
	// what the first one read before and after.
	best observe.Tightest
	// lost are the CPUs that a thread was moved away from, or that had no time for it. The
	// rounds before that was seen are not counted.
	lost []int
}

const (
	// looks is how many rounds are made between two looks at whether it is over, and
	// whether the threads are where they should be.
	looks = 256
	// late is how long a thread may take to begin or to end, until nothing more is expected
	// of it: something of higher priority has its CPU, or the host has it.
	late = 2 * time.Second
)

// A side is one of the two threads, and what it leaves.
type side struct {
	cpu      int
	span     time.Duration
	deadline observe.Deadline // ends the exchange where nobody has a CPU to end it
	moved    bool             // it found itself on another CPU
	err      error
	found    observe.Tightest
}

// exchange has two CPUs exchange readings for the span. The error is why the clock could
// not be read.
func exchange(ctx context.Context, c clock.Clock, pair [2]int, span time.Duration) (exchanged, error) {
	// On the heap: the two threads share it, and it is not moved.
	boxes := new([2]mailbox)
	stop := new(atomic.Bool)
	ended := make(chan side, len(pair))
	for i, part := range []func(*side, clock.Reader, *[2]mailbox, *atomic.Bool){(*side).begin, (*side).answer} {
		s := side{cpu: pair[i], span: span}
		go func() {
			err := thread.Run(s.cpu, func() {
				var reader clock.Reader
				if reader, s.err = c.Open(); s.err == nil {
					s.deadline = observe.DeadlineIn(late + span)
					part(&s, reader, boxes, stop)
					s.err = clock.Failure(reader)
				}
			})
			s.moved = s.moved || err != nil
			stop.Store(true)
			ended <- s
		}()
	}
	var e exchanged
	var failed error
	missing := map[int]bool{pair[0]: true, pair[1]: true}
	over, done, patience := time.After(span), ctx.Done(), (*observe.Patience)(nil)
	step := make(<-chan time.Time)
	for len(missing) > 0 {
		select {
		case s := <-ended:
			delete(missing, s.cpu)
			failed = cmp.Or(failed, s.err)
			if s.moved {
				e.lost = append(e.lost, s.cpu)
			}
			if s.cpu == pair[0] {
				e.best = s.found
			}
			continue
		case <-step:
			if patience.Over() {
				return exchanged{lost: slices.Sorted(maps.Keys(missing))}, failed
			}
			continue
		case <-over:
		case <-done:
		}
		stop.Store(true)
		patience = observe.NewPatience(late)
		defer patience.Stop()
		over, done, step = nil, nil, patience.Step()
	}
	slices.Sort(e.lost)
	return e, failed
}

// away notes whether this thread is on another CPU than it should be.
func (s *side) away() bool {
	at := thread.Current()
	s.moved = s.moved || at != thread.Any && at != s.cpu
	return s.moved
}

// begin begins rounds until it is over. Those since the last look are kept at the next
// one: the other side looks where it is after as many rounds, and answers no more where
// it was moved.
func (s *side) begin(reader clock.Reader, boxes *[2]mailbox, stop *atomic.Bool) {
	var pending, now observe.Tightest
	value := make([]int64, 1)
	for round := int64(1); ; round++ {
		first := clock.ReadBehind(reader, value)
		boxes[0].value.Store(first)
		boxes[0].round.Store(round)
		if !s.wait(&boxes[1], round, stop) {
			s.away()
			return
		}
		if round == 1 { // the other side is there
			s.deadline = observe.DeadlineIn(s.span)
		}
		last := clock.ReadBehind(reader, value)
		other := boxes[1].value.Load()
		now.Take(observe.Bracket{Low: first, Value: other, High: last})
		if round%looks != 0 {
			continue
		}
		if s.away() || clock.Failure(reader) != nil {
			return
		}
		s.found, pending = pending, now
		if stop.Load() || s.deadline.Passed() {
			return
		}
	}
}

// answer answers rounds until it is over.
func (s *side) answer(reader clock.Reader, boxes *[2]mailbox, stop *atomic.Bool) {
	value := make([]int64, 1)
	for round := int64(1); s.wait(&boxes[0], round, stop); round++ {
		boxes[1].value.Store(clock.ReadBehind(reader, value))
		boxes[1].round.Store(round)
		if round%looks == 0 && (s.away() || clock.Failure(reader) != nil || s.deadline.Passed()) {
			return
		}
	}
	s.away()
}

// wait waits for a round, and reports whether it came before stop and the deadline.
func (s *side) wait(box *mailbox, round int64, stop *atomic.Bool) bool {
	// The CPU is not given away often: on a busy machine two threads that do would hardly
	// ever run at the same time.
	const patience = 1 << 12
	for look := 1; box.round.Load() != round; look++ {
		if look%patience == 0 {
			if stop.Load() || s.deadline.Passed() {
				return false
			}
			thread.Pause()
		}
	}
	return true
}
