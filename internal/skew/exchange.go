package skew

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
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
	rounds int64
	// roundTrip is the best round trip, and ahead twice by how much the other CPU's
	// clock was ahead of the middle of that; in ticks.
	roundTrip, ahead int64
	// lost is the CPU that a thread was moved away from; what was found in the last
	// rounds before that was seen is not counted.
	lost *int
}

// looks is how many rounds are made between two looks at whether it is over.
const looks = 256

// exchange has two CPUs exchange readings for the span. The error is why the clock could
// not be read.
func exchange(ctx context.Context, c clock.Clock, pair [2]int, span time.Duration) (exchanged, error) {
	// On the heap: the two threads share it, and it is not moved.
	boxes := new([2]mailbox)
	var stop atomic.Bool
	var e exchanged
	var moved [2]bool
	var failed [2]error
	sides := [2]func(clock.Reader){
		func(reader clock.Reader) {
			e = begin(reader, boxes, &stop, func() bool { return away(pair[0], &moved[0]) })
		},
		func(reader clock.Reader) {
			answer(reader, boxes, &stop, func() bool { return away(pair[1], &moved[1]) })
		},
	}
	var both sync.WaitGroup
	for side, cpu := range pair {
		both.Go(func() {
			err := thread.Run(cpu, func() {
				reader, err := c.Open()
				if err == nil {
					sides[side](reader)
					err = clock.Failure(reader)
				}
				failed[side] = err
			})
			moved[side] = moved[side] || err != nil
			stop.Store(true)
		})
	}
	ended := make(chan struct{})
	go func() {
		both.Wait()
		close(ended)
	}()
	select {
	case <-time.After(span):
	case <-ctx.Done():
	case <-ended:
	}
	stop.Store(true)
	<-ended
	for side, cpu := range pair {
		if moved[side] {
			e.lost = &cpu
		}
		if failed[side] != nil {
			return e, failed[side]
		}
	}
	return e, nil
}

// away notes whether this thread is on another CPU than it should be.
func away(cpu int, moved *bool) bool {
	at := thread.Current()
	*moved = at != thread.Any && at != cpu
	return *moved
}

// begin begins rounds until it is over.
func begin(reader clock.Reader, boxes *[2]mailbox, stop *atomic.Bool, away func() bool) exchanged {
	kept := exchanged{}
	now := exchanged{roundTrip: math.MaxInt64}
	value := make([]int64, 1)
	for round := int64(1); ; round++ {
		first := clock.ReadBehind(reader, value)
		boxes[0].value.Store(first)
		boxes[0].round.Store(round)
		answered := wait(&boxes[1], round, stop)
		last := clock.ReadBehind(reader, value)
		if answered {
			other := boxes[1].value.Load()
			now.rounds++
			if trip := last - first; trip >= 0 && trip < now.roundTrip {
				now.roundTrip, now.ahead = trip, (other-first)-(last-other)
			}
		}
		if answered && round%looks != 0 {
			continue
		}
		if away() || clock.Failure(reader) != nil {
			return kept
		}
		if now.roundTrip != math.MaxInt64 {
			kept = now
		}
		if stop.Load() {
			return kept
		}
	}
}

// answer answers rounds until it is over.
func answer(reader clock.Reader, boxes *[2]mailbox, stop *atomic.Bool, away func() bool) {
	value := make([]int64, 1)
	for round := int64(1); wait(&boxes[0], round, stop); round++ {
		boxes[1].value.Store(clock.ReadBehind(reader, value))
		boxes[1].round.Store(round)
		if round%looks == 0 && (away() || clock.Failure(reader) != nil) {
			stop.Store(true)
			return
		}
	}
}

// wait waits for a round, and reports whether it came before stop.
func wait(box *mailbox, round int64, stop *atomic.Bool) bool {
	// patience is how many looks are taken before the CPU is offered to others: the
	// other thread may wait for it, and so may Go's collector.
	const patience = 1 << 12
	for look := 1; box.round.Load() != round; look++ {
		if look%patience == 0 {
			if stop.Load() {
				return false
			}
			thread.Yield()
		}
	}
	return true
}
