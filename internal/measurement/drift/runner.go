package drift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/show/words"
)

const (
	// mostBrackets is the number of brackets for one reading, the tightest. fewBrackets is
	// the min if reading is slow or was interrupted, so that it takes longer than patience.
	mostBrackets = 32
	fewBrackets  = 3
	patience     = 200 * time.Microsecond
	// longestPause is the max time between two sweeps: a counter of 32 bits wraps around in
	// minutes, and progress is reported once in each sweep.
	longestPause = time.Second
	// farthest is the max amount by which a clock may be set in a run. A clock that begins in
	// 1970 may be set to today, and the document holds numbers up to 1e18.
	farthest = 1e17 * time.Nanosecond
	// stillness is how long the reference may keep its value: longer than time(2) does.
	stillness = 3 * time.Second
)

type runner struct {
	world
	ctx        context.Context
	settings   Settings
	progress   func(done, total time.Duration)
	reference  *subject
	subjects   []*subject
	begun      int64         // the reference's value at the beginning
	elapsed    time.Duration // by the reference since then
	still      time.Duration // slept since the reference last moved
	loadedFrom time.Duration
	dither     *rand.Rand
}

func (r *runner) run() {
	if !r.open() {
		return
	}
	load := r.settings.LoadTime
	if r.settings.CPUs <= 0 {
		load = 0
	}
	from := r.settings.Time - load
	if load <= 0 || from > 0 {
		r.phase(idle, from)
	}
	if load <= 0 || r.over() {
		return
	}
	defer r.busy(r.settings.CPUs)()
	// In the document, 0 means no load.
	r.loadedFrom = max(1, time.Duration(r.now()))
	r.phase(loaded, r.settings.Time)
}

// open opens the reference and the clocks, and measures their ticks. It returns whether the reference can be used.
func (r *runner) open() bool {
	r.reference.open(r.settings.KernelTSCHz)
	if r.reference.err == nil && r.reference.hz == 0 {
		r.reference.err = errNoHz
	}
	if r.reference.err != nil {
		return false
	}
	r.findTick(r.reference)
	for _, s := range r.subjects {
		if r.over() {
			break
		}
		if s.open(r.settings.KernelTSCHz); s.err == nil {
			r.findTick(s)
		}
	}
	r.now()
	r.begun = r.reference.buffer[0]
	return !r.reference.failed()
}

// findTick sets the tick of a subject's values: 1 if the clock is finer than a read. It uses clock_getres(2) only if it
// saw no step: a kernel without high resolution timers reports 4 ms for its finest clock too.
func (r *runner) findTick(s *subject) {
	// Clocks with a tick of 100 Hz, or of Windows (15.6 ms), tick at least twice in that time.
	const watched = 40 * time.Millisecond
	begun := r.now()
	// The difference is in whole nanoseconds, not the reference's time: nanoseconds since 1601 exceed an int64.
	passed := func() int64 { return int64(r.now() - begun) }
	// Reads back to back: the clock may tick as fast as the reference can be read in between.
	const values, ticks = 64, 3
	var steps observe.Steps
	spent := steps.Watch(s.reader, observe.Watch{Values: values, Enough: ticks, Most: watched}, passed)
	switch {
	case steps.Repeats == 0:
		s.tick = 1
	case steps.Forward > 0:
		s.tick = float64(steps.Smallest)
	default:
		s.tick = max(1, max(s.clock.ReportedNS(), float64(spent))*s.hz/1e9)
	}
}

func (r *runner) over() bool { return r.ctx.Err() != nil || r.reference.failed() }

// now returns the reference's time since the beginning of the run, in nanoseconds.
func (r *runner) now() float64 { return r.since(r.reference.read()) }

// since returns a value of the reference as time in nanoseconds. It subtracts whole ticks first, because a float64
// holds only every 256th nanosecond since 1970.
func (r *runner) since(ticks int64) float64 {
	return float64(ticks-r.begun) * 1e9 / r.reference.hz
}

// phase sweeps at the clocks until this time after the beginning of the run.
func (r *runner) phase(phase int, until time.Duration) {
	begun := r.elapsed
	for !r.over() && r.sweep(phase) && r.elapsed < until {
		pause := min(r.pause(r.elapsed-begun), until-r.elapsed)
		r.sleep(r.ctx, pause)
		r.still += pause
	}
}

// pause returns the time to the next sweep: half a slot to one and a half. Sweeps in step with a clock's ticks would
// read all of them equally late.
func (r *runner) pause(into time.Duration) time.Duration {
	return time.Duration(float64(min(slot(into), longestPause)) * (0.5 + r.dither.Float64()))
}

// sweep reads every clock. It returns whether the reference can still be used.
func (r *runner) sweep(phase int) bool {
	now := time.Duration(r.now())
	switch {
	case r.reference.failed():
		return false
	case now < r.elapsed:
		r.reference.err = fmt.Errorf("went back by %s; take a clock that is never set",
			words.Duration(float64(r.elapsed-now)))
		return false
	case now-r.elapsed > farthest:
		r.reference.err = fmt.Errorf("went ahead by %s; take a clock that is never set",
			words.Duration(float64(now-r.elapsed)))
		return false
	case now > r.elapsed:
		r.still = 0
	case r.still >= stillness:
		r.reference.err = fmt.Errorf("did not move in %s; take a clock that does", words.Duration(float64(r.still)))
		return false
	}
	r.elapsed = now
	for _, s := range r.subjects {
		if s.failed() || s.reader == nil {
			continue
		}
		if reading, ok := r.sight(s); ok {
			s.phases[phase].add(reading)
		}
	}
	r.elapsed = max(r.elapsed, time.Duration(r.now()))
	if r.progress != nil {
		r.progress(min(r.elapsed, r.settings.Time), r.settings.Time)
	}
	return true
}

// sight returns the tightest of several brackets. ok is false if a clock failed, or the
// reference went back in all of them.
func (r *runner) sight(s *subject) (best reading, ok bool) {
	var tightest observe.Tightest
	begun, spent := 0.0, 0.0
	for n := 0; n < mostBrackets && (n < fewBrackets || spent < float64(patience)); n++ {
		before := r.reference.read()
		ticks := s.read()
		after := r.reference.read()
		if s.failed() || r.reference.failed() {
			return best, false
		}
		from := r.since(before)
		if n == 0 {
			begun = from
		}
		spent = r.since(after) - begun
		// A counter that is read out of order, or on another CPU, can be behind.
		if from >= float64(r.elapsed) {
			tightest.Take(observe.Bracket{Low: before, Value: ticks, High: after})
		}
	}
	if tightest.Brackets == 0 {
		return best, false
	}
	from, to := r.since(tightest.Low), r.since(tightest.High)
	return reading{atNS: (from + to) / 2, widthNS: to - from, ticks: tightest.Value}, true
}
