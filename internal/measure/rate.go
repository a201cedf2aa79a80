package measure

import (
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// A rate finds out how many ticks a second a counter makes, from one sighting
// at the start of a run and one at its end.
type rate struct {
	hz    float64 // 0 until known
	first sighting
}

// A sighting is a clock's value and the stopwatch's at the same moment, within
// half of what the sighting took.
type sighting struct{ ticks, at int64 }

// shortest is the least span in nanoseconds from which a rate can be told.
const shortest = int64(time.Millisecond)

func (r *rate) begin(c clock.Clock, reader clock.Reader) {
	r.hz = c.Hz
	if stated := c.ReportedNS(); r.hz == 0 && stated > 0 {
		r.hz = 1e9 / stated
	}
	if r.hz == 0 {
		r.first = sight(reader)
	}
}

func (r *rate) end(reader clock.Reader) {
	if r.hz != 0 {
		return
	}
	last := sight(reader)
	if span := last.at - r.first.at; span >= shortest && last.ticks > r.first.ticks {
		r.hz = float64(last.ticks-r.first.ticks) * 1e9 / float64(span)
	}
}

// sight takes the tightest of many sightings: the one whose two readings of the
// stopwatch are nearest to each other was disturbed least.
func sight(reader clock.Reader) sighting {
	tick := make([]int64, 1)
	var best sighting
	tightest := int64(-1)
	for range 100 {
		before := observe.Now()
		reader.Read(tick)
		after := observe.Now()
		if width := after - before; tightest < 0 || width < tightest {
			tightest = width
			best = sighting{tick[0], before + width/2}
		}
	}
	return best
}

// SpanOfARate returns how long a counter has to be watched for its rate to be told: the
// least span, or longer where the stopwatch is coarse or slow.
func SpanOfARate(least time.Duration) time.Duration {
	return max(least, tellable*observe.StopwatchTick())
}

// Hz returns the ticks a second of a clock: what it states, or what it makes
// in the span, measured on a thread of its own; 0 where it cannot be had, or not told
// in such a span.
func Hz(c clock.Clock, span time.Duration) float64 {
	var r rate
	// On a thread that cannot be had the rate stays unknown.
	_ = thread.Run(thread.Any, func() {
		reader, err := c.Open()
		if err != nil {
			return
		}
		r.begin(c, reader)
		if r.hz == 0 && observe.StopwatchTick() <= span/tellable {
			time.Sleep(span)
			r.end(reader)
		}
	})
	return r.hz
}
