package measure

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/system/debuglog"
)

// A gate holds the workers until all have arrived, starts them at the same time and stops them. It may be in memory
// shared between processes, so it has no pointers. Fields with different writers are on different cache lines.
//
// Waiting workers sleep: n workers that yield their CPUs to each other yield n² times until the last has arrived. They
// are woken when all have arrived, because waking a thread takes microseconds, and start when all are awake.
type gate struct {
	expected atomic.Uint32 // number of workers
	ready    atomic.Uint32 // workers that have arrived
	_        [thread.CacheLine - 8]byte
	opened   atomic.Uint32 // 1 when the workers are woken
	_        [thread.CacheLine - 4]byte
	awake    atomic.Uint32 // workers that are about to start
	_        [thread.CacheLine - 4]byte
	// releasedNS is the stopwatch when the workers start; 0 until then.
	releasedNS atomic.Int64
	_          [thread.CacheLine - 8]byte
	stop       atomic.Uint32
	_          [thread.CacheLine - 4]byte
	slots      [MostThreads]slot
	// slices are the durations of each worker's slices, in ns.
	slices [MostThreads][mostSlices]int64
}

// mostSlices is the max number of slices of a pass that a worker keeps.
const mostSlices = 128

// A slot has the counts of a worker, on a cache line of its own.
type slot struct {
	reads   atomic.Int64 // so far
	startNS atomic.Int64 // the stopwatch when it started
	endNS   atomic.Int64 // the stopwatch when it stopped
	sliced  atomic.Int64 // number of stored slices
	_       [thread.CacheLine - 32]byte
}

func (g *gate) reset(n int) {
	g.expected.Store(uint32(n))
	for _, word := range []*atomic.Uint32{&g.ready, &g.opened, &g.awake, &g.stop} {
		word.Store(0)
	}
	g.releasedNS.Store(0)
	for i := range n {
		slot := &g.slots[i]
		for _, count := range []*atomic.Int64{&slot.reads, &slot.startNS, &slot.endNS, &slot.sliced} {
			count.Store(0)
		}
	}
}

// reads returns the number of reads of the first n workers so far, in whole chunks.
func (g *gate) reads(n int) int64 {
	sum := int64(0)
	for i := range n {
		sum += g.slots[i].reads.Load()
	}
	return sum
}

// patience returns how long a pass waits until n workers have arrived, and until they have ended.
// A worker that is later gets no CPU, or has died.
func patience(n int) time.Duration {
	const (
		late = 10 * time.Second      // a busy host stops a virtual CPU for seconds
		each = 10 * time.Millisecond // to start a thread on a busy machine
	)
	return late + time.Duration(n)*each
}

const (
	// wakeup is how long the gate waits until all workers are awake. On a busy machine a thread
	// waits that time for its turn on a CPU.
	wakeup     = 20 * time.Millisecond
	checkEvery = 100 * time.Millisecond
)

// open starts n workers, and returns the stopwatch at that moment. It waits until all have arrived, and then until all
// are awake. It starts without workers that take too long: they start when they get a CPU.
func (g *gate) open(ctx context.Context, n int) int64 {
	begun := observe.Now()
	for came := g.ready.Load(); came < uint32(n) && ctx.Err() == nil &&
		observe.Now()-begun < int64(patience(n)); came = g.ready.Load() {
		sleepWhile(&g.ready, came, checkEvery)
	}
	g.opened.Store(1)
	wakeAll(&g.opened)
	for woken := observe.Now(); g.awake.Load() < uint32(n) && observe.Now()-woken < int64(wakeup); {
		thread.Yield()
	}
	now := observe.Now()
	g.releasedNS.Store(now)
	return now
}

func (g *gate) arrive() {
	if g.ready.Add(1) == g.expected.Load() {
		wakeAll(&g.ready)
	}
}

// absent counts a worker that cannot work, so that the others do not wait for it.
func (g *gate) absent() {
	g.awake.Add(1)
	g.arrive()
}

// pass waits until the gate is opened. The thread then moves to its CPU: the kernel may wake it on another CPU.
func (g *gate) pass(begin int) {
	g.arrive()
	for g.opened.Load() == 0 {
		sleepWhile(&g.opened, 0, time.Hour)
	}
	if begin != thread.Any {
		// The worker is not pinned: if the CPU went away, another CPU will do.
		if err := thread.Move(begin); err != nil {
			debuglog.Printf("thread", "begin on CPU %d: %v", begin, err)
		}
	}
	g.awake.Add(1)
	for g.releasedNS.Load() == 0 {
		thread.Yield()
	}
}

// work runs worker i when the gate is open: it reads chunk by chunk until it is stopped. It reads
// at least one chunk, however late it gets a CPU.
//
// The worker owns its slices until it has stored sliced; then the runner may read them.
//
// The worker also ends by itself some time after its span: if the workers have a real-time
// policy and a CPU each, the runner that should stop them may get none.
func (g *gate) work(i int, reader clock.Reader, p pace) {
	slot, slices := &g.slots[i], &g.slices[i]
	reads, sliced := int64(0), 0
	last := observe.Now()
	slot.startNS.Store(last)
	deadline := g.releasedNS.Load() + p.SpanNS
	for calls := 1; ; calls++ {
		reader.Spin(p.Chunk)
		reads += int64(p.Chunk)
		slot.reads.Store(reads)
		if g.stop.Load() != 0 {
			break
		}
		if calls%p.Slice != 0 {
			continue
		}
		now := observe.Now()
		if p.Keep && sliced < len(slices) {
			slices[sliced] = now - last
			sliced++
		}
		if last = now; now >= deadline {
			break
		}
		if p.Yield {
			thread.Yield()
			last = observe.Now()
		}
	}
	slot.endNS.Store(observe.Now())
	slot.sliced.Store(int64(sliced))
}

// slice returns the median slice of worker i in ns; 0 if it stored none.
func (g *gate) slice(i int) float64 {
	durations := make([]float64, g.slots[i].sliced.Load())
	for j := range durations {
		durations[j] = float64(g.slices[i][j])
	}
	if len(durations) == 0 {
		return 0
	}
	return stats.Median(durations)
}

// perSecond returns the reads/s of worker i: from the median of its slices, which an interrupt in a few of them does
// not affect, or from all reads since the gate was opened if it stored too few. ok is false for a worker that ended
// before it began.
func (g *gate) perSecond(i int, p pace) (perSecond float64, ok bool) {
	slot := &g.slots[i]
	spent := float64(slot.endNS.Load() - g.releasedNS.Load())
	if median := g.slice(i); g.sliced(i, p) && median > 0 {
		return float64(p.Chunk*p.Slice) * 1e9 / median, spent > 0
	}
	return float64(slot.reads.Load()) * 1e9 / spent, spent > 0
}

// sliced returns whether worker i stored enough slices for a median.
func (g *gate) sliced(i int, p pace) bool {
	const enough = 3
	return p.Median && g.slots[i].sliced.Load() >= enough
}

// starving is the share of a pass for which a worker needs a CPU; with less, it starved.
const starving = 0.5

// starved returns whether any of n workers had no CPU for most of the pass: then the workers did not contend for the
// clock. The slices distinguish this from a slow clock: if workers wait for each other at the clock, every slice takes
// long; if a worker waits for a CPU, its slices are few and mostly short. The kernel's CPU time does not show it,
// because a virtual CPU that the host does not run is busy too. Without slices, only the late start of a worker is
// known. A single worker does not contend, and needs only its slices.
func (g *gate) starved(n int, p pace) bool {
	if n == 1 && g.sliced(0, p) {
		return false
	}
	for i := range n {
		slot := &g.slots[i]
		spent := float64(slot.endNS.Load() - g.releasedNS.Load())
		ran := float64(slot.endNS.Load() - slot.startNS.Load())
		if median := g.slice(i); median > 0 {
			ran = min(ran, float64(slot.reads.Load())/float64(p.Chunk*p.Slice)*median)
		}
		if ran < starving*spent {
			return true
		}
	}
	return false
}

// serve executes an assignment on this thread, which is pinned if the affinity says so. unpinned is the error of
// pinning.
func (g *gate) serve(unpinned error, at affinity, i int, c clock.Clock, p pace) *failure {
	if unpinned != nil {
		g.absent()
		return &failure{fmt.Sprintf("CPU %d can no longer be used: %v", at.Pin, unpinned), theRun}
	}
	reader, err := c.Open()
	if err != nil {
		g.absent()
		return &failure{err.Error(), aFigure}
	}
	g.pass(at.Begin)
	g.work(i, reader, p)
	if observe.Away(at.Pin) {
		return wentAway(at.Pin)
	}
	if err := clock.Failure(reader); err != nil {
		return &failure{err.Error(), theClock}
	}
	return nil
}
