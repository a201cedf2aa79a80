package profile

import (
	"slices"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/thread"
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
	// take as long: its own reading is subtracted, which is not exact. maxSlice is the maximum span. A turn of six slices
	// takes 60 µs of the CPU of the program where the stopwatch takes below 0.5 µs, and never more than 600.
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

// speeds are the results of the turns at a place: reads per ns, and the weights of the turns.
type speeds struct{ reads, weights []float64 }

// A tracker measures what a read costs while Run samples, on the CPUs where the reads are. The cost depends on the CPU and on
// the moment: CPUs are of two kinds, change their frequency, and are shared with other guests of a host. A system call took
// 243 or 300 ns for seconds at a time, and each CPU changed independently (a virtual machine on AMD EPYC). A measurement
// before or after runs on other CPUs than the programs, which occupy theirs.
//
// A nil tracker tracks nothing. The caller of pending and order is one goroutine; the turns have a thread of their own.
type tracker struct {
	// orders are the next turns. Its room is one: a turn that is late is better omitted.
	orders chan turn
	// tid is the thread of the turns. Its samples are not those of a program.
	tid int
	// usable are the CPUs that the thread may run on.
	usable []int
	// pending is the number of samples of reads at a place since its last turn.
	pending map[place]int

	mu    sync.Mutex
	known map[place]*speeds
}

// newTracker returns a tracker for the clocks that have an approximate cost. It is nil if none can be tracked.
func newTracker(clocks []clock.Clock, about costs) *tracker {
	slice := max(minSlice, stopwatchReads*observe.StopwatchCost(), stopwatchReads*observe.StopwatchTick())
	if slice > maxSlice {
		return nil
	}
	t := &tracker{orders: make(chan turn, 1), usable: thread.Usable(), pending: map[place]int{}, known: map[place]*speeds{}}
	ready := make(chan bool)
	go func() {
		defer close(ready)
		_ = thread.Run(thread.Any, func() { // if it fails, nobody is ready
			readers := map[string]clock.Reader{}
			for _, c := range clocks {
				if about[c.ID].median > float64(maxSlice) || about[c.ID].median <= 0 {
					continue
				}
				if reader, err := c.Open(); err == nil {
					readers[c.ID] = reader
				}
			}
			t.tid = unix.Gettid()
			ready <- len(readers) > 0
			for of := range t.orders {
				if reader := readers[of.clock]; reader != nil {
					t.measure(reader, of, float64(slice), about[of.clock].median)
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

// measure takes a turn, with slices of so many ns, for a clock whose read takes about so many ns. It is for the thread of the
// tracker, which is not pinned, so that a CPU that gets no time cannot hold it.
func (t *tracker) measure(reader clock.Reader, of turn, sliceNS, aboutNS float64) {
	if thread.Move(of.cpu) != nil || thread.Current() != of.cpu {
		return // the CPU went offline
	}
	// The first slice brings the code into the caches, and shows what a read takes now: longer, where all CPUs read one timer.
	n := max(1, int(sliceNS/aboutNS/2))
	ns := timed(reader, n)
	if ns > float64(maxSlice) {
		return
	}
	n = max(1, int(sliceNS/max(ns, aboutNS/10)))
	slicesNS := make([]float64, trackSlices)
	for i := range slicesNS {
		slicesNS[i] = timed(reader, n)
	}
	ns = stats.Median(slicesNS)
	if ns <= 0 || clock.Failure(reader) != nil || thread.Current() != of.cpu {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known[of.place] == nil {
		t.known[of.place] = &speeds{}
	}
	at := t.known[of.place]
	at.reads, at.weights = append(at.reads, 1/ns), append(at.weights, float64(of.weight))
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
	if t != nil && slices.Contains(t.usable, at.cpu) {
		t.pending[at]++
	}
}

// order orders a turn at the place that has most samples of reads since its last one, unless the thread is still busy.
func (t *tracker) order() {
	if t == nil {
		return
	}
	next := turn{}
	for at, n := range t.pending {
		if n > next.weight {
			next = turn{at, n}
		}
	}
	if next.weight == 0 {
		return
	}
	select {
	case t.orders <- next:
		delete(t.pending, next.place)
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

// costs returns what a read costs at each place that had enough turns. The turns of a place stand for the samples of reads
// there, and so for the time that reads took: the number of reads is that time by the mean of the speeds.
func (t *tracker) costs() map[place]cost {
	all := map[place]cost{}
	if t == nil {
		return all
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, of := range t.known {
		if len(of.reads) < minTracked {
			continue
		}
		mean, low, high := stats.MeanInterval(of.reads, of.weights, confidence)
		all[at] = cost{1 / mean, 1 / min(high, slices.Max(of.reads)), 1 / max(low, slices.Min(of.reads))}
	}
	return all
}
