package measure

import (
	"errors"
	"sync/atomic"

	"github.com/timebench/timebench/internal/clock"
)

// A script is a fake Reader whose values come from a function: next(i) is the value of read
// i.
type script struct {
	next  func(i int64) int64
	reads int64
	work  atomic.Int64
	err   error
	fails int64 // reads until err is returned; 0 for never
}

// Spin works and does not wait: time.Now steps by milliseconds on Windows.
func (s *script) Spin(n int) {
	for range 2 * n {
		s.work.Add(1)
	}
	s.reads += int64(n)
}

func (s *script) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = s.next(s.reads)
		s.reads++
	}
}

func (s *script) Err() error {
	if s.fails > 0 && s.reads >= s.fails {
		return s.err
	}
	return nil
}

func fake(id string, open func() (clock.Reader, error)) clock.Clock {
	return clock.Clock{
		ID: id, Call: id, Path: "fake", Kind: clock.Monotonic, Hz: 1e9,
		ReportedNS: func() float64 { return 1 }, Open: open,
	}
}

// count is the script of a clock whose reads are one unit apart.
func count(i int64) int64 { return i }

func scripted(id string, next func(i int64) int64) clock.Clock {
	return fake(id, func() (clock.Reader, error) { return &script{next: next}, nil })
}

var errUnplugged = errors.New("no such device")

// A spinner is a Reader that only spins.
type spinner func(n int)

func (s spinner) Spin(n int) { s(n) }

func (s spinner) Read([]int64) {}
