package skew

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// A mailbox carries one CPU's messages to the other. The value is the reading, and is stored before the round: a thread
// that sees the round knows that the reading was made.
type mailbox struct {
	round atomic.Int64
	value atomic.Int64
	_     [thread.CacheLine - 16]byte
}

// An exchanged is the result of an exchange between two CPUs.
type exchanged struct {
	// best is the tightest of all round trips: a reading of the other CPU between two readings of the first CPU.
	best observe.Tightest
	// lost are the CPUs that a thread was moved away from, or that had no time for it, with the reason. Rounds after
	// the last check before the move are not counted.
	lost map[int]string
}

// roundsPerCheck is the number of rounds between two checks that the work is not over and the threads are on their
// CPUs.
const roundsPerCheck = 32

// briefRounds is the number of round trips of a brief exchange. An undisturbed round trip takes less than a
// microsecond.
const briefRounds = 1000

// urgentMost is the max time that urgent threads keep their CPUs: the ordinary programs of the machine wait in the
// meantime.
const urgentMost = 50 * time.Millisecond

// exchange has two CPUs exchange readings for the span, or briefly. The error is why the clock could not be read.
func exchange(ctx context.Context, c clock.Clock, pair [2]int, span time.Duration, brief bool) (exchanged, error) {
	// The boxes are on the heap, where they do not move, because the two threads share them.
	// Only the first thread writes to found, which is read when that thread has ended.
	boxes, found, there := new([2]mailbox), new(observe.Tightest), new(atomic.Int32)
	r := observe.Together(ctx, c, pair[:], span, len(pair), func(s *observe.Member) {
		defer s.Stop() // neither thread is of use without the other
		if brief {
			defer thread.Urgent()()
			// Each thread sleeps until both are urgent, so that others run.
			for there.Add(1); there.Load() < int32(len(pair)) && !s.Over(); {
				thread.Sleep(50 * time.Microsecond)
			}
			if thread.RealTimePolicy() != "" {
				s.EndIn(urgentMost)
			}
		}
		if s.Index == 0 {
			begin(s, boxes, found, brief)
		} else {
			answer(s, boxes)
		}
	})
	e := exchanged{lost: r.Lost()}
	if len(r.Late) == 0 && len(r.Ended) == len(pair) {
		e.best = *found
	}
	for _, s := range r.Failed {
		return e, s.Err
	}
	return e, nil
}

// begin begins rounds until the work is over, or until a brief exchange has enough. A check keeps the rounds up to the
// check before: the other side checks its CPU after the same number of rounds, and no longer answers if it was moved.
func begin(s *observe.Member, boxes *[2]mailbox, found *observe.Tightest, brief bool) {
	var pending, now observe.Tightest
	value := make([]int64, 1)
	for round := int64(1); ; round++ {
		first := clock.ReadBehind(s.Reader, value)
		boxes[0].value.Store(first)
		boxes[0].round.Store(round)
		if !wait(s, &boxes[1], round) {
			return
		}
		last := clock.ReadBehind(s.Reader, value)
		now.Take(observe.Bracket{Low: first, Value: boxes[1].value.Load(), High: last})
		if round%roundsPerCheck != 0 {
			continue
		}
		over := s.Over()
		if !s.Sound() {
			return
		}
		*found, pending = pending, now
		if over || brief && found.Brackets >= briefRounds {
			return
		}
	}
}

func answer(s *observe.Member, boxes *[2]mailbox) {
	value := make([]int64, 1)
	for round := int64(1); wait(s, &boxes[0], round); round++ {
		boxes[1].value.Store(clock.ReadBehind(s.Reader, value))
		boxes[1].round.Store(round)
		if round%roundsPerCheck == 0 && s.Over() {
			return
		}
	}
}

// wait waits for a round, and returns whether it came before the work was over.
func wait(s *observe.Member, box *mailbox, round int64) bool {
	const patience = 1 << 12
	for tries := 1; box.round.Load() != round; tries++ {
		if tries%patience == 0 {
			if s.Over() {
				return false
			}
			// The first call of Ran covers the time since another wait, so it does not count.
			if !s.Ran() && tries > patience {
				s.Meet()
			}
			thread.Pause()
		}
	}
	return true
}
