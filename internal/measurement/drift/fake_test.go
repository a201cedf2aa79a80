package drift

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/timebench/timebench/internal/clock"
)

// A fakeWorld is a machine whose time passes only while it reads or sleeps.
type fakeWorld struct {
	ns     float64
	random *rand.Rand
	loaded bool
	wave   float64 // noise that is correlated with its neighbours, one step for each sleep
	slept  func()
	readNS float64 // the time of a read
}

func newWorld(seed uint64) *fakeWorld {
	return &fakeWorld{random: rand.New(rand.NewPCG(seed, 1)), readNS: 25}
}

func (w *fakeWorld) sleep(_ context.Context, span time.Duration) bool {
	w.ns += float64(span) + 50e3*w.random.ExpFloat64()
	w.wave = 0.95*w.wave + w.random.NormFloat64()
	if w.slept != nil {
		w.slept()
	}
	return true
}

func (w *fakeWorld) busy(int) func() {
	w.loaded = true
	return func() { w.loaded = false }
}

func (w *fakeWorld) run(ctx context.Context, clocks []clock.Clock, reference clock.Clock, s Settings) (Drift, error) {
	return run(ctx, clocks, reference, s, nil, world{w.sleep, w.busy})
}

// pass lets time pass, and adds preemptions under load.
func (w *fakeWorld) pass(ns float64) {
	w.ns += ns
	if w.loaded && w.random.Float64() < 0.01 {
		w.ns += 4e6 * w.random.Float64()
	}
}

// A fakeReader takes the world's readNS for a read; the value is from a moment within it.
type fakeReader struct {
	*fakeWorld
	value func(ns float64) int64
	err   func() error
}

func (r fakeReader) Spin(int) {}

func (r fakeReader) Read(ticks []int64) {
	for i := range ticks {
		part := r.random.Float64()
		r.pass(r.readNS * part)
		ticks[i] = r.value(r.ns)
		r.pass(r.readNS * (1 - part))
	}
}

func (r fakeReader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err()
}

// epoch is a time of day in nanoseconds. A float64 holds only every 256th value there.
const epoch = 1_790_000_000_000_000_003

func zero() float64 { return 0 }

func (w *fakeWorld) clock(id string, hz float64, value func(ns float64) int64) clock.Clock {
	return clock.Clock{
		ID: id, Call: id, Path: "fake", Kind: clock.Monotonic, Hz: hz, ReportedNS: zero,
		Open: func() (clock.Reader, error) { return fakeReader{fakeWorld: w, value: value}, nil },
	}
}

func (w *fakeWorld) reference() clock.Clock {
	return w.clock("reference", 1e9, func(ns float64) int64 { return epoch + int64(ns) })
}

// fast returns a clock in nanoseconds that runs too fast by this many ppm.
func (w *fakeWorld) fast(id string, ppm float64) clock.Clock {
	return w.clock(id, 1e9, func(ns float64) int64 { return epoch/3 + int64(ns*(1+ppm/1e6)) })
}

// coarse returns a clock with a tick of tickNS.
func (w *fakeWorld) coarse(id string, ppm, tickNS float64) clock.Clock {
	phase := tickNS * w.random.Float64()
	return w.clock(id, 1e9, func(ns float64) int64 { return epoch + int64(tickNS)*int64((phase+ns*(1+ppm/1e6))/tickNS) })
}

var errUnplugged = errors.New("no such device")

// failing returns a fast clock whose reads fail from this time of the world on.
func (w *fakeWorld) failing(id string, from time.Duration) clock.Clock {
	c := w.fast(id, 0)
	c.Open = func() (clock.Reader, error) {
		return fakeReader{w, func(ns float64) int64 { return epoch + int64(ns) }, func() error {
			if w.ns >= float64(from) {
				return errUnplugged
			}
			return nil
		}}, nil
	}
	return c
}
