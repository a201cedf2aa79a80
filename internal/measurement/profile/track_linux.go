package profile

import (
	"slices"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/machine/thread"
	"golang.org/x/sys/unix"
)

const (
	// trackTurns is how many times the rings are read for each turn of a tracker.
	trackTurns = 2
	// trackSlices is the number of slices of a turn. Their median is not disturbed by an interrupt in one of them.
	trackSlices = 5
	// minTracked is the minimum number of turns that give the cost of a clock on a CPU, and minTrackedTime the minimum
	// time of a profile that is tracked: twice what they take.
	minTracked     = 10
	minTrackedTime = 2 * minTracked * trackTurns * drainEvery
	// minSlice is the minimum span of a slice, and stopwatchReads the minimum number of readings of the stopwatch that
	// take as long: its own reading is subtracted, which is not exact. maxSlice is the maximum span, but for the first slice
	// after a read became slower. A turn of six slices takes some 60 µs of the CPU of the program where the stopwatch takes
	// below 0.5 µs, and ten times as much at most.
	minSlice       = 10 * time.Microsecond
	stopwatchReads = 20
	maxSlice       = 100 * time.Microsecond
)

// A place is where reads are: the CPU, and the clock whose cost is that of the reads.
type place struct {
	cpu   int
	clock string
}

// A turn is to measure what a read costs at a place. weight is the number of samples of reads there that it stands for.
type turn struct {
	place
	weight int
}

// anyCPU is the CPU of the place that has the turns of a clock on all CPUs.
const anyCPU = -1

// A tracker measures what a read costs while Run samples, on the CPUs where the reads are. The cost depends on the CPU and on
// the moment: CPUs are of two kinds, change their frequency, and are shared with other guests of a host. A system call took
// 243 or 300 ns for seconds at a time, and each CPU changed independently (a virtual machine on AMD EPYC). A measurement
// before or after runs on other CPUs than the programs, which occupy theirs.
//
// A nil tracker tracks nothing. One goroutine calls saw and order; the turns have a thread of their own.
type tracker struct {
	// orders are the next turns. Its room is one: a turn that is late is better omitted.
	orders chan turn
	// tid is the thread of the turns. Its samples are not those of a program.
	tid int
	// usable are the CPUs that the thread may run on.
	usable []int
	// sliceNS is the span of a slice, and tickNS that of a step of the stopwatch.
	sliceNS, tickNS float64
	// readers are those of the thread, by clock.
	readers map[string]clock.Reader
	// aboutNS is what a read took last, by clock, and owed the weight of the turns at a place that failed. They are of the thread.
	aboutNS map[string]float64
	owed    map[place]int
	// pending is the number of samples of reads at a place since its last turn.
	pending map[place]int
	// first is the number of turns of a clock that come before those of others: nothing else tells its cost.
	first map[string]int

	mu sync.Mutex
	// speeds are the reads per ns of the turns at a place, weighted by what they stand for.
	speeds map[place]*stats.Weighted
}

// newTracker returns a tracker for those of the clocks whose approximate cost is known, and for the other system calls that
// read a clock, of which each takes about as long. It is nil if none can be tracked.
func newTracker(clocks []clock.Clock, about costs) *tracker {
	slice := max(minSlice, stopwatchReads*observe.StopwatchCost(), stopwatchReads*observe.StopwatchTick())
	if slice > maxSlice {
		return nil
	}
	t := &tracker{
		orders: make(chan turn, 1), usable: thread.Usable(), sliceNS: float64(slice), tickNS: float64(observe.StopwatchTick()),
		readers: map[string]clock.Reader{}, aboutNS: map[string]float64{}, owed: map[place]int{},
		pending: map[place]int{}, first: map[string]int{}, speeds: map[place]*stats.Weighted{},
	}
	ready := make(chan bool)
	go func() {
		defer close(ready)
		_ = thread.Run(thread.Any, func() { // if it fails, ready is closed
			for _, c := range clocks {
				ns := about[c.ID].median
				isOther := ns == 0 && slices.Contains(directIDs, c.ID)
				if isOther {
					ns = about[syscallID].median
				}
				if ns <= 0 || ns > float64(maxSlice) {
					continue
				}
				if reader, err := c.Open(); err == nil {
					t.readers[c.ID], t.aboutNS[c.ID] = reader, ns
					if isOther {
						t.first[c.ID] = minTracked + 2 // one may fail
					}
				}
			}
			t.tid = unix.Gettid()
			ready <- len(t.readers) > 0
			for of := range t.orders {
				if t.readers[of.clock] == nil {
					continue
				}
				of.weight += t.owed[of.place]
				t.owed[of.place] = of.weight
				if ns, ok := t.measure(of.place); ok {
					delete(t.owed, of.place)
					t.add(of, ns)
				}
			}
		})
	}()
	if !<-ready {
		close(t.orders)
		return nil
	}
	return t
}

// measure returns what a read at a place takes, in ns; false if that failed. It is for the thread of the tracker. The thread
// is not pinned while it reads; a CPU that gets no time at all can still hold it on its way there.
func (t *tracker) measure(at place) (ns float64, ok bool) {
	reader := t.readers[at.clock]
	if thread.Move(at.cpu) != nil || thread.Current() != at.cpu {
		return 0, false // the CPU went offline
	}
	// The first slice brings the code into the caches, and shows what a read takes now: longer, where all CPUs read one timer.
	few := max(1, int(t.sliceNS/t.aboutNS[at.clock]/2))
	first := timed(reader, few)
	if first <= 0 {
		return 0, false
	}
	t.aboutNS[at.clock] = min(first, float64(maxSlice))
	n := min(max(1, int(t.sliceNS/first)), 4*few)
	slicesNS := make([]float64, trackSlices)
	for i := range slicesNS {
		slicesNS[i] = timed(reader, n)
	}
	ns = stats.Median(slicesNS)
	if ns <= 0 || clock.Failure(reader) != nil || thread.Current() != at.cpu {
		return 0, false
	}
	t.aboutNS[at.clock] = min(ns, float64(maxSlice))
	return ns, true
}

// add adds the result of a turn.
func (t *tracker) add(of turn, ns float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, at := range []place{of.place, {anyCPU, of.clock}} {
		if t.speeds[at] == nil {
			t.speeds[at] = &stats.Weighted{}
		}
		t.speeds[at].Add(1/ns, float64(of.weight))
	}
}

// timed returns what one of n reads takes, in ns. The stopwatch may be slower now than at another time, so that its own
// reading is measured too.
func timed(reader clock.Reader, n int) float64 {
	before := observe.Now()
	start := observe.Now()
	reader.Spin(n)
	end := observe.Now()
	return float64((end-start)-(start-before)) / float64(n)
}

// saw notes a sample of a read at a place.
func (t *tracker) saw(at place) {
	if t != nil && t.readers[at.clock] != nil && slices.Contains(t.usable, at.cpu) {
		t.pending[at]++
	}
}

// order orders a turn at the place that has the most samples of reads since its last one, unless the thread is still busy. A
// clock whose cost nothing else tells comes first, until it has enough turns.
func (t *tracker) order() {
	if t == nil {
		return
	}
	next, isFirst := turn{}, false
	for at, n := range t.pending {
		comesFirst := t.first[at.clock] > 0
		if comesFirst && !isFirst || comesFirst == isFirst && n > next.weight {
			next, isFirst = turn{at, n}, comesFirst
		}
	}
	if next.weight == 0 {
		return
	}
	select {
	case t.orders <- next:
		delete(t.pending, next.place)
		if isFirst {
			t.first[next.clock]--
		}
	default:
	}
}

// thread returns the number of the thread of the tracker; 0 if there is none.
func (t *tracker) thread() int {
	if t == nil {
		return 0
	}
	return t.tid
}

// end ends the thread of the tracker after its turn.
func (t *tracker) end() {
	if t != nil {
		close(t.orders)
	}
}

// costs returns what a read costs at each place that had enough turns, and for each clock on anyCPU, if all CPUs together had
// enough. The turns of a place stand for the samples of reads there, and so for the time that reads took: the number of
// reads is that time by the mean of the speeds.
func (t *tracker) costs() map[place]cost {
	all := map[place]cost{}
	if t == nil {
		return all
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	cpus := map[string]int{}
	for at := range t.speeds {
		if at.cpu != anyCPU {
			cpus[at.clock]++
		}
	}
	for at, of := range t.speeds {
		if of.N < minTracked {
			continue
		}
		groups := 1
		if at.cpu == anyCPU {
			groups = cpus[at.clock] // the cost on one of them is not known as well as the mean
		}
		mean, low, high := of.Interval(confidence, groups)
		inexact := t.tickNS / t.sliceNS
		all[at] = cost{1 / mean, (1 - inexact) / high, (1 + inexact) / low}
	}
	return all
}
