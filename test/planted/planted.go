// Package planted plants faults for the tests of verify and skew: a counter of this machine with planted offsets, and
// two CPUs to compare.
package planted

import (
	"testing"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/test/need"
)

// Counter returns a counter of the CPU that is cheap to read. Readers that are opened on the faulty CPU are ahead by
// aheadNS nanoseconds.
func Counter(t testing.TB, faulty int, aheadNS float64) clock.Clock {
	t.Helper()
	for _, c := range clock.Catalog() {
		hz := observe.Hz(c, 20*time.Millisecond)
		if c.Kind != clock.Counter || hz == 0 {
			continue
		}
		open := c.Open
		c.ID, c.Hz = "counter@fake", hz
		c.Open = func() (clock.Reader, error) {
			reader, err := open()
			if err != nil || thread.Current() != faulty {
				return reader, err
			}
			return ahead{reader, int64(aheadNS * hz / 1e9)}, nil
		}
		return c
	}
	need.Missing(t, "counter", "no counter of the CPU can be read")
	return clock.Clock{}
}

type ahead struct {
	clock.Reader
	ticks int64
}

func (a ahead) Read(ticks []int64) {
	a.Reader.Read(ticks)
	for i := range ticks {
		ticks[i] += a.ticks
	}
}

// Err returns the error of the wrapped reader, which must not be hidden.
func (a ahead) Err() error { return clock.Failure(a.Reader) }

// TwoCPUs returns the first two CPUs that the process may use. Without two, there is nothing to compare.
func TwoCPUs(t testing.TB) []int {
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
