package verify

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/result"
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
	into *result.VerifiedClock
}

// A seat is one thread of a check: where it sits, and what it found. Only its own
// thread writes to it while the check runs.
type seat struct {
	index int
	// cpu is the CPU that the thread is pinned to; thread.Any where it is not.
	cpu    int
	reader clock.Reader
	stop   *atomic.Bool
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
	return s.stop.Load()
}

// errNoCPU is the reason where no thread could be had on any CPU.
var errNoCPU = errors.New("no thread could be had on any of the CPUs")

// run has a thread on each CPU that is left open the clock, and lets all begin at once.
// Each works until its seat is over. The seats are returned when all have ended; those
// whose thread could not be had have an error.
func (b *bench) run(span time.Duration, work func(*seat)) []*seat {
	var stop atomic.Bool
	var ready atomic.Int32
	var seats []*seat
	for _, cpu := range b.cpus {
		if !b.lost[cpu] {
			if b.free {
				cpu = thread.Any
			}
			seats = append(seats, &seat{index: len(seats), cpu: cpu, stop: &stop})
		}
	}
	all := int32(len(seats))
	began := make(chan struct{}, 1)
	var ended sync.WaitGroup
	for _, s := range seats {
		ended.Go(func() {
			at := false
			err := thread.Run(s.cpu, func() {
				at = true
				s.reader, s.err = b.clock.Open()
				if ready.Add(1) == all {
					began <- struct{}{}
				}
				for ready.Load() < all {
					thread.Yield()
				}
				if s.err == nil {
					work(s)
				}
			})
			if at {
				return
			}
			// The CPU is gone; the others need not wait for it.
			s.err, s.lost = err, true
			if ready.Add(1) == all {
				began <- struct{}{}
			}
		})
	}
	if all > 0 {
		<-began
	}
	select {
	case <-time.After(span):
	case <-b.ctx.Done():
	}
	stop.Store(true)
	ended.Wait()
	b.settle(seats)
	return seats
}

// settle notes the CPUs that went away and the reads that failed.
func (b *bench) settle(seats []*seat) {
	for _, s := range seats {
		switch {
		case s.lost:
			b.lost[s.cpu] = true
			b.into.Reason = fmt.Sprintf("CPU %d went away", s.cpu)
		case s.err != nil:
			b.fault(result.ClockFault{Kind: result.FaultFailed, Count: 1, CPU: number(s.cpu), Text: s.err.Error()})
		}
	}
	if len(seats) == 0 {
		b.into.Reason = errNoCPU.Error()
	}
}

// number is a CPU's number for a document; nil where it is not known.
func number(cpu int) *int {
	if cpu == thread.Any {
		return nil
	}
	return &cpu
}

// fault adds a fault to those of its kind.
func (b *bench) fault(f result.ClockFault) {
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
