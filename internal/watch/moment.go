package watch

import (
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/show/words"
)

// A moment is what the clocks of the system said when a sleep ended, in nanoseconds.
type moment struct {
	at time.Time
	// sleptNS is how long the sleep should have been, and lateNS how much longer it was, without the time for which
	// threads of this process waited for a CPU; 0 if that time is unknown, because a busy machine then looks like a stalled
	// one.
	sleptNS, lateNS int64
	// wallNS is the wall clock, bootNS the clock that counts the time of a suspended machine, and monotonicNS
	// the one by which the sleep ended. They were read within errorNS.
	wallNS, bootNS, monotonicNS, errorNS int64
	// countsSuspend is whether bootNS counts the time of a suspended machine: otherwise it is monotonicNS.
	countsSuspend bool
}

const (
	// minStep is the smallest step of the wall clock. Slewing changes the rate of the wall clock and of the
	// monotonic clock alike, so only a step changes their difference.
	minStep = 2 * host.WallGranularity
	// minStall is the shortest stall: a busy hypervisor or disk can take a tenth of that.
	minStall = 500 * time.Millisecond
)

// between returns what happened between two moments.
func between(before, now moment) []Event {
	passed := time.Duration(now.monotonicNS - before.monotonicNS)
	suspended := time.Duration(now.bootNS-before.bootNS) - passed
	var events []Event
	if now.countsSuspend && suspended >= minStall {
		events = append(events, Event{
			Time: now.at, Kind: Suspend, DurationNS: int64(suspended),
			Message: fmt.Sprintf("the machine was suspended for %s: CLOCK_BOOTTIME counted it, CLOCK_MONOTONIC did not", words.Duration(float64(suspended))),
		})
	}
	// The moments before and after a suspend, in which programs are frozen, are part of it.
	if late := time.Duration(now.lateNS); late >= minStall && suspended < minStall {
		events = append(events, Event{
			Time: now.at, Kind: Stall, DurationNS: now.lateNS,
			Message: fmt.Sprintf("a sleep of %s took %s longer, and not because it waited for a CPU: the machine was paused or migrated, or this process was stopped or waited for memory",
				words.Duration(float64(now.sleptNS)), words.Duration(float64(late))),
		})
	}
	step := (now.wallNS - before.wallNS) - (now.bootNS - before.bootNS)
	if size := max(step, -step); time.Duration(size) >= minStep && size > before.errorNS+now.errorNS {
		way, or := "forward", ""
		if step < 0 {
			way = "back"
		} else if !now.countsSuspend {
			or = ", or the machine was suspended"
		}
		events = append(events, Event{
			Time: now.at, Kind: WallClockStep, OffsetNS: step,
			Message: fmt.Sprintf("the wall clock was set %s by %s%s", way, words.Duration(float64(size)), or),
		})
	}
	return events
}
