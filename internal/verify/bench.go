package verify

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// A bench is where one clock is tried, by a thread on each CPU.
type bench struct {
	ctx       context.Context
	clock     clock.Clock
	nsPerTick float64
	cpus      []int
	// free leaves the threads to the system, which cannot pin them.
	free bool
	lost map[int]bool
	into *VerifiedClock
	// wentBack says that a thread saw the clock go back: on that CPU it did, whatever the
	// others read.
	wentBack bool
}

// A seat is one thread of a check: where it sits, and what it found. Only its own
// thread writes to it while the check runs.
type seat struct {
	index int
	// cpu is the CPU that the thread is pinned to; thread.Any where it is not.
	cpu    int
	reader clock.Reader
	stop   *atomic.Bool
	// deadline ends the check where nobody has a CPU to end it.
	deadline observe.Deadline
	// starved says that the check was not begun in time.
	starved bool
	// lost says that the thread is no longer on its CPU.
	lost bool
	err  error
	_    [thread.CacheLine]byte
}

// over reports whether the check is to end: its time is up, or the thread was moved
// from its CPU, or the last read failed. It is asked every few microseconds to
// milliseconds; what was found since it was last asked must be dropped where the
// thread was moved.
func (s *seat) over() bool {
	if at := thread.Current(); at != thread.Any && s.cpu != thread.Any && at != s.cpu {
		s.lost = true
		return true
	}
	if s.err = clock.Failure(s.reader); s.err != nil {
		return true
	}
	return s.stop.Load() || s.deadline.Passed()
}

// late is how long a thread may be without a CPU, at the beginning and at the end, until
// nothing more is expected of it: something of higher priority has the CPU, or the host
// has it.
const late = 2 * time.Second

// run has a thread on each CPU that is left open the clock, and lets all begin at once.
// Each works until its seat is over. The seats are returned of those that ended: nothing
// else may be looked at of a thread that did not, since it may still be at work.
func (b *bench) run(span time.Duration, work func(*seat)) []*seat {
	var stop, begin atomic.Bool
	var seats []*seat
	for _, cpu := range b.cpus {
		if b.lost[cpu] {
			continue
		}
		if b.free {
			cpu = thread.Any
		}
		seats = append(seats, &seat{index: len(seats), cpu: cpu, stop: &stop})
	}
	arrived, ended := make(chan *seat, len(seats)), make(chan *seat, len(seats))
	for _, s := range seats {
		go func() {
			at := false
			err := thread.Run(s.cpu, func() {
				at = true
				s.reader, s.err = b.clock.Open()
				arrived <- s
				// All threads are there, or given up, after as long.
				for called := observe.DeadlineIn(2 * late); !begin.Load() && !stop.Load() && !s.starved; {
					thread.Yield()
					s.starved = called.Passed()
				}
				// One that began late makes its first reads all the same: on a busy machine
				// the span may end before every thread had a CPU.
				if s.err == nil && !s.starved && b.ctx.Err() == nil {
					s.deadline = observe.DeadlineIn(span)
					work(s)
				}
			})
			if !at { // the CPU is gone; the others need not wait for it
				s.err, s.lost = err, true
				arrived <- s
			}
			ended <- s
		}()
	}
	there := b.gather(arrived, len(seats))
	begin.Store(true)
	var done []*seat
	over := time.After(span)
	for len(done) < len(seats) && !stop.Load() {
		select {
		case s := <-ended:
			done = append(done, s)
		case <-over:
			stop.Store(true)
		case <-b.ctx.Done():
			stop.Store(true)
		}
	}
	stop.Store(true)
	patience := observe.NewPatience(late)
	defer patience.Stop()
	for gone := false; !gone && len(done) < len(seats); {
		select {
		case s := <-ended:
			done = append(done, s)
		case <-patience.Step():
			gone = patience.Over()
		}
	}
	slices.SortFunc(done, func(a, b *seat) int { return a.index - b.index })
	for _, s := range seats {
		b.settle(s, slices.Contains(done, s), slices.Contains(there, s))
	}
	if len(seats) == 0 {
		b.into.Reason = "no thread could be had on any of the CPUs"
	}
	return done
}

// gather waits for the threads, and returns those that came.
func (b *bench) gather(arrived <-chan *seat, all int) (there []*seat) {
	patience := observe.NewPatience(late)
	defer patience.Stop()
	for len(there) < all {
		select {
		case s := <-arrived:
			there = append(there, s)
		case <-patience.Step():
			if patience.Over() {
				return there
			}
		case <-b.ctx.Done():
			return there
		}
	}
	return there
}

// settle notes of a seat that its CPU went away, or had no time for it, and that a read
// failed. Nothing may be asked of the seat itself where it is not done.
func (b *bench) settle(s *seat, done, there bool) {
	switch {
	case b.ctx.Err() == nil && (!done || !there):
		b.lost[s.cpu] = true
		b.into.Reason = "a thread got no time on " + cpuName(s.cpu)
	case !done:
	case s.starved:
		b.into.Reason = fmt.Sprintf("the threads did not begin together in %s", 2*late)
	case s.lost:
		b.lost[s.cpu] = true
		b.into.Reason = fmt.Sprintf("CPU %d went away", s.cpu)
	case s.err != nil:
		b.fault(ClockFault{Kind: FaultFailed, Count: 1, CPU: number(s.cpu), Text: s.err.Error()})
	}
}

func cpuName(cpu int) string {
	if cpu == thread.Any {
		return "any CPU"
	}
	return fmt.Sprintf("CPU %d", cpu)
}

// number is a CPU's number for a document; nil where it is not known.
func number(cpu int) *int {
	if cpu == thread.Any {
		return nil
	}
	return &cpu
}

// fault adds a fault to those of its kind.
func (b *bench) fault(f ClockFault) {
	for i, known := range b.into.Faults {
		if known.Kind == f.Kind {
			count := known.Count + f.Count
			if f.WorstNS > known.WorstNS {
				b.into.Faults[i] = f
			}
			b.into.Faults[i].Count = count
			return
		}
	}
	b.into.Faults = append(b.into.Faults, f)
}

// ns is a difference of two values in nanoseconds.
func (b *bench) ns(ticks int64) float64 { return float64(ticks) * b.nsPerTick }
