package verify

import (
	"errors"
	"sync/atomic"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// fakeReader returns the values of a function, one after the other. single, if it is set, replaces it for single reads,
// as in a comparison of CPUs.
type fakeReader struct {
	next, single func() int64
	err          func() error
}

func (f *fakeReader) Spin(n int) {
	for range n {
		f.next()
	}
}

func (f *fakeReader) Read(ticks []int64) {
	next := f.next
	if len(ticks) == 1 && f.single != nil {
		next = f.single
	}
	for i := range ticks {
		ticks[i] = next()
	}
}

func (f *fakeReader) Err() error {
	if f.err == nil {
		return nil
	}
	return f.err()
}

// now returns the true time, in nanoseconds.
func now() int64 { return observe.Now() }

// fake returns a clock in nanoseconds; open returns the function of each reader.
func fake(id string, kind clock.Kind, open func() func() int64) clock.Clock {
	return clock.Clock{
		ID: id, Call: id, Path: "fake", Kind: kind, Hz: 1e9,
		ReportedNS: func() float64 { return 0 },
		Open:       func() (clock.Reader, error) { return &fakeReader{next: open()}, nil },
	}
}

// watched is fake, but the first reader, which is for the checks before, has the true time.
func watched(id string, kind clock.Kind, open func() func() int64) clock.Clock {
	var opened atomic.Int32
	return fake(id, kind, func() func() int64 {
		if opened.Add(1) == 1 {
			return now
		}
		return open()
	})
}

// shared returns a clock whose readers are all alike.
func shared(id string, next func() int64) clock.Clock {
	return fake(id, clock.Monotonic, func() func() int64 { return next })
}

// truth returns the witness: it has the id of a possible witness.
func truth() clock.Clock { return shared("LFENCE+RDTSC@cpu", now) }

func missing(id string) clock.Clock {
	c := shared(id, now)
	c.Open = func() (clock.Reader, error) { return nil, errors.New("this machine has none") }
	return c
}

// failing returns a clock whose reads fail after this number.
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
