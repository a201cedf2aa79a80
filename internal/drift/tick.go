package drift

import "time"

const (
	// watched is how long a clock that repeats its values is watched for its tick:
	// those of 100 Hz and of Windows (15.6 ms) tick at least twice in it.
	watched = 40 * time.Millisecond
	// mostLooks ends the watch under a reference that stands still.
	mostLooks = 1 << 16
	// enoughTicks is how many ticks show the smallest.
	enoughTicks = 3
	// values is how many one look takes: those of a clock that is finer than its
	// readers differ.
	values = 64
)

// watch finds out the step in which a subject's values change: 1 tick of its Hz where
// it is finer than a read. What clock_getres(2) states is heeded only where no step was
// seen: a kernel without high resolution timers states 4 ms for its finest clock too.
func (r *runner) watch(s *subject) {
	ticks := make([]int64, values)
	w := watcher{}
	begun, spent := r.now(), 0.0
	for n := 0; n < mostLooks && spent < float64(watched); n++ {
		s.reader.Read(ticks)
		if w.see(ticks); !w.repeats || w.ticked >= enoughTicks {
			break
		}
		spent = r.now() - begun
	}
	switch {
	case !w.repeats:
		s.tick = 1
	case w.ticked > 0:
		s.tick = float64(w.least)
	default:
		s.tick = max(1, max(s.clock.ReportedNS(), spent)*s.hz/1e9)
	}
}

// A watcher sees by which steps a clock moves on.
type watcher struct {
	begun   bool
	last    int64
	repeats bool  // a value came twice
	ticked  int   // steps seen
	least   int64 // the smallest
}

func (w *watcher) see(ticks []int64) {
	for _, tick := range ticks {
		step := tick - w.last
		if w.begun && step == 0 {
			w.repeats = true
		}
		if w.begun && step > 0 {
			if w.ticked == 0 || step < w.least {
				w.least = step
			}
			w.ticked++
		}
		w.begun, w.last = true, tick
	}
}
