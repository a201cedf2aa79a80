package observe

import (
	"testing"
	"time"

	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
)

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

// long is the time limit of work that ends for another reason.
const long = 30 * time.Second

// untilOver works until the member is over, and fails if the deadline was the reason.
func untilOver(t *testing.T, s *Member) {
	for !s.Over() {
		thread.Yield()
	}
	if s.deadline.passed() {
		t.Error("nothing but its deadline ended the work")
	}
}

// twoCPUs returns the first two CPUs that the process may use. It repeats planted.TwoCPUs, which imports this package.
func twoCPUs(t *testing.T) []int {
	t.Helper()
	usable := thread.Usable()
	if len(usable) < 2 {
		need.Missing(t, "cpus", "one CPU only")
	}
	if err := thread.Pinnable(usable); err != nil {
		need.Missing(t, "pinning", err.Error())
	}
	return usable[:2]
}
