package measure

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/measurement/compare"
)

const (
	// longestRead is the max of a histogram in ticks, about a minute of any counter. Longer reads count as this.
	longestRead = int64(1)<<38 - 1
	digits      = 3
	// mostBracketed is the max number of reads that are timed before they are recorded.
	mostBracketed = 4096
)

// A bracket times single reads: it reads a counter before and after each. The reading after one read is also the
// reading before the next, so there is no gap between brackets except for the recording, once in a few thousand reads.
// Every width is recorded, so this is not an [observe.Tightest].
type bracket struct {
	counter clock.Clock
	reader  clock.Reader
	rate    observe.Rate
	ticks   []int64
}

// openBracket opens the fastest counter that this process may read: the first in the catalogue. It returns nil without
// one.
func openBracket() *bracket {
	for _, c := range clock.Catalog() {
		if c.Path != clock.CPU {
			continue
		}
		if reader, err := c.Open(); err == nil {
			b := &bracket{counter: c, reader: reader, ticks: make([]int64, mostBracketed)}
			b.rate.Begin(c, reader)
			return b
		}
	}
	return nil
}

func (b *bracket) record(into *hdrhistogram.Histogram, reader clock.Reader, readNS float64, span time.Duration) {
	const room = 20 // nanoseconds that a bracket may take
	n := min(len(b.ticks), max(2, observe.ReadsIn(latencyChunk, readNS+room)))
	for end := observe.Now() + int64(span); observe.Now() < end; {
		ticks := b.ticks[:n]
		b.reader.Read(ticks[:1])
		for i := 1; i < n; i++ {
			reader.Spin(1)
			b.reader.Read(ticks[i : i+1])
		}
		for i := 1; i < n; i++ {
			// The value is within the histogram's range, so there is no error.
			_ = into.RecordValue(min(max(ticks[i]-ticks[i-1], 0), longestRead))
		}
	}
}

func newSingle() *hdrhistogram.Histogram { return hdrhistogram.New(1, longestRead, digits) }

// distribution times single reads of every subject for one turn, and returns false if the run ended first.
func (r *runner) distribution(measured []*subject) bool {
	if r.bracket == nil {
		return true
	}
	return r.each(measured, func(s *subject) {
		if s.single == nil {
			s.single = newSingle()
		}
		r.bracket.record(s.single, s.reader, s.readNS, r.settings.Distribution/time.Duration(r.settings.Rounds))
	})
}

func (b *bracket) result(single, empty *hdrhistogram.Histogram) *compare.Distribution {
	if b == nil || single == nil || single.TotalCount() == 0 || b.rate.Hz == 0 {
		return nil
	}
	ns := func(ticks int64) float64 { return float64(ticks) * 1e9 / b.rate.Hz }
	at := func(h *hdrhistogram.Histogram, percentile float64) float64 {
		return ns(h.ValueAtPercentile(percentile))
	}
	d := &compare.Distribution{
		Counter: b.counter.ID, CounterStepNS: ns(apart(single)), Reads: single.TotalCount(),
		P50NS: at(single, 50), P90NS: at(single, 90), P99NS: at(single, 99), P999NS: at(single, 99.9),
		MaxNS: ns(single.Max()),
	}
	if empty != nil {
		d.BracketNS = at(empty, 50)
	}
	// A counter may tick less often than the clock is read.
	tenfold := 10 * max(single.ValueAtPercentile(50), 1)
	for _, bar := range single.Distribution() {
		if bar.Count == 0 {
			continue
		}
		d.Buckets = append(d.Buckets, compare.Bucket{UpToNS: ns(bar.To), Reads: bar.Count})
		if bar.From >= tenfold {
			d.TenfoldReads += bar.Count
		}
	}
	return d
}

// apart returns the smallest distance, in ticks, between two durations that many reads have; 0 if there was only one
// duration. The resolution of the counter's own values would mislead: the counter of an AMD EPYC moves by 26 in almost
// every step, and by 25 and then by 1 in the others.
func apart(h *hdrhistogram.Histogram) int64 {
	const (
		exact = 1000 // ticks below this have a bucket of their own
		many  = 1000 // a duration counts if at least one read in this many has it
	)
	smallest, last := int64(0), int64(-1)
	for _, bar := range h.Distribution() {
		if bar.To >= exact || bar.Count*many < h.TotalCount() {
			continue
		}
		if gap := bar.To - last; last >= 0 && (smallest == 0 || gap < smallest) {
			smallest = gap
		}
		last = bar.To
	}
	return smallest
}
