package measure

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// BenchmarkPass measures the start of threads and of assignments: a pass without a span, by
// new threads and by existing ones. The runner's own work is done for one thread after the
// other; the threads work in parallel if each has a CPU.
func BenchmarkPass(b *testing.B) {
	c := clock.Default()[0]
	s := Settings{CPUs: len(thread.Usable()), places: thread.Spread(thread.Topology())}
	for _, n := range []int{2, 16, 64, 256} {
		for _, there := range []bool{false, true} {
			b.Run(fmt.Sprintf("threads=%d/there=%v", n, there), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n + 2))
				team := newThreads()
				defer team.close()
				begun := int64(0)
				for range b.N {
					start := observe.Now()
					team.gate().reset(n)
					_ = team.start(c, pace{Chunk: 100, Slice: 1, Check: 1}, n, s.affinities())
					begun += observe.Now() - start
					team.gate().open(context.Background(), n)
					team.gate().stop.Store(1)
					_ = team.wait()
					if !there {
						team.rest()
					}
				}
				b.ReportMetric(float64(begun)/float64(b.N*n), "ns-of-runner/thread")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/thread")
			})
		}
	}
}
