package profile

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// BenchmarkReadAfterWork measures what one read takes after arithmetic: the median, less that of no read. The counter of the CPU
// times it, because reading a clock would bring its code and data into the caches.
//
//	go test ./internal/measurement/profile -run '^$' -bench ReadAfterWork -benchtime 1000x
func BenchmarkReadAfterWork(b *testing.B) {
	all := clock.Catalog()
	find := func(id string) clock.Clock {
		return all[slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == id })]
	}
	require.NoError(b, clock.Use(find("RDTSCP@cpu"), func(counter clock.Reader) {
		ticksPerNS := ticksPerNS(counter)
		for _, id := range []string{fineID, syscallID, gettimeofdayID} {
			for _, work := range []time.Duration{0, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond} {
				b.Run(fmt.Sprintf("%s/%s", id, work), func(b *testing.B) {
					require.NoError(b, clock.Use(find(id), func(reader clock.Reader) {
						var with, without []float64
						for b.Loop() {
							arithmetic(work)
							with = append(with, timedTicks(counter, func() { reader.Spin(1) }))
							arithmetic(work)
							without = append(without, timedTicks(counter, func() {}))
						}
						b.ReportMetric(0, "ns/op") // the work is of no interest
						b.ReportMetric((stats.Median(with)-stats.Median(without))/ticksPerNS, "ns/read")
					}))
				})
			}
		}
	}))
}

// timedTicks returns how long a function takes, in ticks of a counter.
func timedTicks(counter clock.Reader, run func()) float64 {
	var start, end [1]int64
	counter.Read(start[:])
	run()
	counter.Read(end[:])
	return float64(end[0] - start[0])
}

// ticksPerNS returns the frequency of a counter in GHz.
func ticksPerNS(counter clock.Reader) float64 {
	const span = 20 * time.Millisecond
	start := time.Now()
	ticks := timedTicks(counter, func() { time.Sleep(span) })
	return ticks / float64(time.Since(start))
}

var arithmeticSink uint64

// arithmetic takes about so long.
func arithmetic(work time.Duration) {
	const iterationNS = 1.8 // AMD EPYC
	x := arithmeticSink | 1
	for range int(float64(work) / iterationNS) {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	arithmeticSink = x
}
