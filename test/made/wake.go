package made

import (
	"fmt"

	"github.com/timebench/timebench/internal/measurement/wake"
)

// Wake returns the lateness of a number of ways to sleep, as of a virtual machine, and a way that is not available.
// With faults a way ends early.
func Wake(ways int, faults bool) *wake.Wake {
	w := &wake.Wake{
		DurationNS: 15e9, CPUs: []int{0, 1}, Timers: wake.Timers{
			SlackNS: 50_000, ResolutionNS: 1, Facts: []wake.Fact{{Name: "Timer device", Value: "lapic-deadline"},
				{Name: "Broadcast device", Value: "hpet"}, {Name: "Idle driver", Value: "intel_idle"}},
			IdleStates: []wake.IdleState{{Name: "C1", LatencyNS: 2000, Entered: 12_345},
				{Name: "C6", LatencyNS: 133_000, Entered: 678}},
		},
		Ways: []wake.SleepWay{},
	}
	ids := []string{"nanosleep@syscall", "timerfd@syscall", "poll@syscall", "epoll_wait@syscall", "time.Sleep@go"}
	ns := []string{wake.TimerSlack, wake.LeavingIdle, wake.TheRest}
	ms := append([]string{wake.Rounding}, ns...)
	layers := [][]string{ns, ns[1:], ms, ms, append([]string{wake.Runtime}, ms...)}
	costs := map[string]float64{wake.Runtime: 22_000, wake.Rounding: 887_000, wake.TimerSlack: 41_000,
		wake.LeavingIdle: 23_000, wake.TheRest: 14_000}
	worst := 1
	for i := range ways {
		way := wake.SleepWay{ID: ids[i%len(ids)], Call: "a call", Available: true}
		if i >= len(ids) {
			way.ID = fmt.Sprintf("way%d@syscall", i)
		}
		for _, span := range []int64{100_000, 1_000_000} {
			s := wake.SleepSpan{SpanNS: span, Samples: 12_000, WorstCPU: &worst}
			for _, name := range layers[i%len(ids)] {
				l := wake.SleepLayer{Name: name, NS: costs[name] + float64(100*i)}
				s.MedianLateNS += l.NS
				s.Layers = append(s.Layers, l)
			}
			s.MinLateNS, s.LowNS, s.HighNS = s.MedianLateNS/2, 0.99*s.MedianLateNS, 1.01*s.MedianLateNS
			s.P99LateNS, s.P999LateNS, s.MaxLateNS, s.WorstCPUMedianNS = 2*s.MedianLateNS, 3*s.MedianLateNS, 9*s.MedianLateNS, 1.2*s.MedianLateNS
			if faults && i == 1 {
				s.Early, s.MinLateNS = 17, -300_000
			}
			for k := range 10 {
				s.PartMediansNS = append(s.PartMediansNS, s.MedianLateNS*(1+float64(k-5)/1000))
			}
			s.Runs = []int{2, 2, 2, 2, 2}
			way.Spans = append(way.Spans, s)
		}
		w.Ways = append(w.Ways, way)
	}
	w.Ways = append(w.Ways, wake.SleepWay{ID: "io_uring@syscall", Call: "another call",
		Reason: "io_uring_setup(2): operation not permitted"})
	if faults {
		w.BusyThreads, w.NoIdleLayer = 2, "all CPUs are busy (--load)"
	}
	return w
}
