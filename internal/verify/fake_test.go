package verify

import (
	"errors"
	"sync/atomic"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
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
func now() int64 { return observe.Now() }

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

func faultOf(v VerifiedClock, kind string) *ClockFault {
	for _, f := range v.Faults {
		if f.Kind == kind {
			return &f
		}
	}
	return nil
}
