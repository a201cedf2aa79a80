package observe

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/thread"
)

// Late is how long a thread may be without a CPU, before it begins and after it should have
// ended, until nothing more is expected of it: something of higher priority has the CPU, or
// the host has it.
const Late = 2 * time.Second

// A Seat is where one of several threads works together with the others. Only its own thread
// writes to it while it works.
type Seat struct {
	Index  int // in the order of the CPUs
	CPU    int // that the thread is pinned to; thread.Any where it is free
	Reader clock.Reader
	// Moved says that the thread is no longer on its CPU, or never was.
	Moved bool
	// Err is why the clock cannot be read, or the CPU not be had.
	Err error

	stop     *atomic.Bool
	deadline deadline // ends the work where nobody has a CPU to end it
	starved  bool     // the others did not come in time
	_        [thread.CacheLine]byte
}

// Over reports whether the thread is to end its work: the time is up, the thread was moved
// from its CPU, or its last read failed. Ask it every few microseconds to milliseconds. Where
// the thread was moved, drop what was found since it was last asked.
func (s *Seat) Over() bool {
	if s.Moved = Away(s.CPU); s.Moved {
		return true
	}
	if s.Err = clock.Failure(s.Reader); s.Err != nil {
		return true
	}
	return s.stop.Load() || s.deadline.passed()
}

// Sound reports whether what was found until Over was last asked holds: the thread was on its
// CPU, and could read the clock.
func (s *Seat) Sound() bool { return !s.Moved && s.Err == nil }

// Stop has all threads end their work.
func (s *Seat) Stop() { s.stop.Store(true) }

// A Report is what became of threads that worked together.
type Report struct {
	// Ended are the seats of those that ended, in the order of the CPUs. Nothing may be
	// looked at of what another thread writes to: it may still be at work.
	Ended []*Seat
	// Late are the CPUs on which a thread did not begin or end in time.
	Late []int
	// Gone are the CPUs to which no thread could be pinned, or from which one was moved.
	Gone []int
	// Failed are the seats of those that could not read the clock.
	Failed []*Seat
	// Apart says that a thread waited so long for the others that it did not begin.
	Apart bool
}

// Together opens the clock on a thread on each of the CPUs, lets all begin at once, and has
// them work until their seats are over, after about the span or when ctx ends. It does not
// wait for ever for one that gets no CPU: the others begin without it, unless fewer than the
// least are there, and then none does.
//
// All that the threads share, the seats and two flags, is on the heap and stays there. The
// flags are atomic. The seats are read here when their threads have said, by a channel, that
// they wrote to them for the last time.
func Together(ctx context.Context, c clock.Clock, cpus []int, span time.Duration, least int, work func(*Seat)) Report {
	var stop, begin atomic.Bool
	seats := make([]*Seat, len(cpus))
	arrived, ended := make(chan *Seat, len(cpus)), make(chan *Seat, len(cpus))
	var crew Crew
	for i, cpu := range cpus {
		s := &Seat{Index: i, CPU: cpu, stop: &stop}
		seats[i] = s
		crew.Start(i, cpu, func(unpinned error) {
			defer func() { ended <- s }()
			if unpinned != nil { // the others need not wait for it
				s.Err, s.Moved = unpinned, true
				arrived <- s
				return
			}
			s.Reader, s.Err = c.Open()
			able := s.Sound()
			arrived <- s
			// All threads are there, or given up, after as long.
			for called := deadlineIn(2 * Late); !begin.Load() && !stop.Load() && !s.starved; {
				thread.Yield()
				s.starved = called.passed()
			}
			// One that began late makes its first reads all the same: on a busy machine
			// the span may end before every thread had a CPU.
			if able && begin.Load() && !s.starved && ctx.Err() == nil {
				s.deadline = deadlineIn(span)
				work(s)
			}
		})
	}
	crew.Dismiss(0)
	there := Await(arrived, len(seats), Late, ctx.Done())
	able := 0
	for _, s := range there {
		if s.Sound() {
			able++
		}
	}
	begin.Store(able >= least)
	stop.Store(able < least)
	var done []*Seat
	over := time.After(span)
	for len(done) < len(seats) && !stop.Load() {
		select {
		case s := <-ended:
			done = append(done, s)
		case <-over:
			stop.Store(true)
		case <-ctx.Done():
			stop.Store(true)
		}
	}
	stop.Store(true)
	done = append(done, Await(ended, len(seats)-len(done), Late, nil)...)
	slices.SortFunc(done, func(a, b *Seat) int { return a.Index - b.Index })
	return report(seats, there, done, ctx.Err() != nil)
}

// report says what became of the seats, of which some were there when the others began, and
// some are done. Where the work was interrupted, a thread that did not come is not late.
func report(seats, there, done []*Seat, interrupted bool) Report {
	r := Report{Ended: done}
	for _, s := range seats {
		arrived, ended := slices.Contains(there, s), slices.Contains(done, s)
		switch {
		case !interrupted && (!arrived || !ended):
			r.Late = append(r.Late, s.CPU)
		case !ended:
		case s.starved:
			r.Apart = true
		case s.Moved:
			r.Gone = append(r.Gone, s.CPU)
		case s.Err != nil:
			r.Failed = append(r.Failed, s)
		}
	}
	return r
}
