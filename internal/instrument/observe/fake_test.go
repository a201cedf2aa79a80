package observe

import "time"

// A script is a Reader whose values a function gives: next(i) is the value of read i.
type script struct {
	next  func(i int64) int64
	reads int64
}

func (s *script) Spin(n int) { s.reads += int64(n) }

func (s *script) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = s.next(s.reads)
		s.reads++
	}
}

// A fakeTime is a stopwatch that a test moves.
type fakeTime struct{ ns int64 }

func (f *fakeTime) now() int64 { return f.ns }

func (f *fakeTime) pass(span time.Duration) { f.ns += int64(span) }
