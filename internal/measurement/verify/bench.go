package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// A bench checks one clock, with a thread on each CPU.
type bench struct {
	ctx       context.Context
	clock     clock.Clock
	nsPerTick float64
	cpus      []int
	// free is whether the threads stay unpinned, because the system cannot pin them.
	free bool
	lost map[int]bool
	into *VerifiedClock
	// wentBack is whether a thread saw the clock go back: its own reads show that, without those of the others.
	wentBack bool
}

// run runs work on a thread on each remaining CPU, all at the same time. It returns the seats of the threads that
// ended. Do not read anything of the other threads: they may still be working.
func (b *bench) run(span time.Duration, work func(*observe.Seat)) []*observe.Seat {
	var cpus []int
	for _, cpu := range b.cpus {
		switch {
		case b.lost[cpu]:
		case b.free:
			cpus = append(cpus, thread.Any)
		default:
			cpus = append(cpus, cpu)
		}
	}
	const least = 0 // a thread can check its own reads alone
	r := observe.Together(b.ctx, b.clock, cpus, span, least, work)
	for _, cpu := range r.Late {
		b.lost[cpu] = true
		b.into.Reason = "a thread got no time on " + cpuName(cpu)
	}
	for _, cpu := range r.Gone {
		b.lost[cpu] = true
		b.into.Reason = fmt.Sprintf("CPU %d went away", cpu)
	}
	for _, s := range r.Failed {
		b.fault(ClockFault{Kind: FaultFailed, Count: 1, CPU: number(s.CPU), Text: s.Err.Error()})
	}
	switch {
	case len(cpus) == 0:
		b.into.Reason = "no thread could be had on any of the CPUs"
	case r.Apart != "":
		b.into.Reason = r.Apart
	}
	return r.Ended
}

func cpuName(cpu int) string {
	if cpu == thread.Any {
		return "any CPU"
	}
	return fmt.Sprintf("CPU %d", cpu)
}

func number(cpu int) *int {
	if cpu == thread.Any {
		return nil
	}
	return &cpu
}

func (b *bench) fault(f ClockFault) {
	for i, known := range b.into.Faults {
		if known.Kind == f.Kind {
			count := known.Count + f.Count
			if f.WorstNS > known.WorstNS {
				b.into.Faults[i] = f
			}
			b.into.Faults[i].Count = count
			return
		}
	}
	b.into.Faults = append(b.into.Faults, f)
}

func (b *bench) ns(ticks int64) float64 { return float64(ticks) * b.nsPerTick }
