package verify

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/test/need"
)

// fakeReader makes its values by a function, one after the other.
type fakeReader struct {
	next func() int64
	err  func() error
}

func (f *fakeReader) Spin(n int) {
	for range n {
		f.next()
	}
}

func (f *fakeReader) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = f.next()
	}
}

func (f *fakeReader) Err() error {
	if f.err == nil {
		return nil
	}
	return f.err()
}

// now is the true time, in nanoseconds.
func now() int64 { return measure.Stopwatch() }

// fake is a clock in nanoseconds; open makes the function of each reader.
func fake(id string, kind clock.Kind, open func() func() int64) clock.Clock {
	return clock.Clock{
		ID: id, Call: id, Path: "fake", Kind: kind, Hz: 1e9,
		ReportedNS: func() float64 { return 0 },
		Open:       func() (clock.Reader, error) { return &fakeReader{next: open()}, nil },
	}
}

// shared is a clock whose readers are all alike.
func shared(id string, next func() int64) clock.Clock {
	return fake(id, clock.Monotonic, func() func() int64 { return next })
}

// A counter is a clock of this machine that is cheap to read, as many ticks ahead as
// the thread that opens it is told.
func counter(t *testing.T, aheadNS func() float64) clock.Clock {
	t.Helper()
	for _, c := range clock.Catalog() {
		hz := measure.Hz(c, 20*time.Millisecond)
		if c.Kind != clock.Counter || hz == 0 {
			continue
		}
		open := c.Open
		c.ID, c.Hz = "counter@fake", hz
		c.Open = func() (clock.Reader, error) {
			reader, err := open()
			return aheadReader{reader, int64(aheadNS() * hz / 1e9)}, err
		}
		return c
	}
	need.Missing(t, "counter", "no counter of the CPU can be read")
	return clock.Clock{}
}

type aheadReader struct {
	clock.Reader
	ticks int64
}

func (r aheadReader) Read(ticks []int64) {
	r.Reader.Read(ticks)
	for i := range ticks {
		ticks[i] += r.ticks
	}
}

// truth is the clock that witnesses: it has the id of one that may.
func truth() clock.Clock { return shared("LFENCE+RDTSC@cpu", now) }

func missing(id string) clock.Clock {
	c := shared(id, now)
	c.Open = func() (clock.Reader, error) { return nil, errors.New("this machine has none") }
	return c
}

// failing is a clock whose reads fail from so many on.
func failing(id string, after int64) clock.Clock {
	var reads atomic.Int64
	c := shared(id, now)
	c.Open = func() (clock.Reader, error) {
		r := &fakeReader{next: func() int64 { reads.Add(1); return now() }}
		r.err = func() error {
			if reads.Load() > after {
				return errors.New("no such device")
			}
			return nil
		}
		return r, nil
	}
	return c
}

// two are the first two CPUs: without them there is nothing to compare.
func two(t *testing.T) []int {
	t.Helper()
	usable := thread.Usable()
	if len(usable) < 2 {
		need.Missing(t, "cpus", "one CPU only")
	}
	if thread.Run(usable[0], func() {}) != nil {
		need.Missing(t, "pinning", "this system cannot pin threads")
	}
	return usable[:2]
}

func faultOf(v result.VerifiedClock, kind string) *result.ClockFault {
	for _, f := range v.Faults {
		if f.Kind == kind {
			return &f
		}
	}
	return nil
}
