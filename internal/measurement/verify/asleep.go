package verify

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/clock"
)

// asleep checks that the CPU time of a thread stands still while the thread sleeps. Some systems return elapsed time
// instead (github.com/microsoft/mystikos/issues/116). A kernel that counts CPU time by ticks can count one tick for a
// thread that had just woken up, but not in each of three sleeps, and not half of a sleep.
func (b *bench) asleep(reader clock.Reader) {
	const slept = 20 * time.Millisecond
	counted := math.MaxFloat64
	ticks := make([]int64, 2)
	for range 3 {
		reader.Read(ticks[:1])
		time.Sleep(slept)
		reader.Read(ticks[1:])
		counted = min(counted, b.ns(ticks[1]-ticks[0]))
	}
	if counted >= float64(slept/2) {
		b.fault(ClockFault{Kind: FaultAsleep, Count: 3, WorstNS: counted})
	}
}
