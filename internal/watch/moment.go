package watch

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/show/words"
)

// A moment is the readings of the system's clocks at the end of a sleep, in ns.
type moment struct {
	at time.Time
	// sleptNS is how long the sleep should have been, and lateNS how much longer it was, without the time for which
	// threads of this process waited for a CPU; 0 if that time is unknown, because a busy machine then looks like a
	// stalled one.
	sleptNS, lateNS int64
	// boot is the clock that counts the time of a suspended machine, between two readings of the monotonic clock, by
	// which the sleep ended. wall is the wall clock, between two readings of observe.SinceBoot.
	boot, wall observe.Bracket
	// countsSuspend is whether there is such a clock: otherwise boot is the monotonic clock.
	countsSuspend bool
	// marker and generation are the disruption marker and the generation of the VMClock; "" if it cannot be read.
	marker, generation string
}

// minStall is the shortest stall: a busy hypervisor or disk can take a tenth of that.
const minStall = 500 * time.Millisecond

// A sleeper sleeps, and knows for how long the threads of this process may have waited for a CPU meanwhile. It sleeps
// as a goroutine does: a thread that blocks in nanosleep(2) keeps the runtime's monitor awake, which takes ten times
// the CPU time of all the rest. Its zero value is ready.
type sleeper struct {
	waitedNS, atNS int64 // waited at that time
}

// sleep sleeps by the monotonic clock, at most until ctx ends, and returns the moment of its end.
func (s *sleeper) sleep(ctx context.Context, interval time.Duration) moment {
	begun := monotonic()
	if s.atNS == 0 || begun-s.atNS >= int64(accountEvery) {
		s.waitedNS, s.atNS = waited(), begun
	}
	observe.Sleep(ctx, interval)
	m := now()
	m.sleptNS = int64(interval)
	if late := m.boot.Low - begun - m.sleptNS; late >= int64(minStall) {
		before := s.waitedNS
		s.waitedNS, s.atNS = waited(), m.boot.Low
		m.lateNS = lateBy(late, before, s.waitedNS)
	}
	return m
}

// lateBy returns how late a sleep was without the time for which threads waited; 0 if that is unknown.
func lateBy(late, waitedBefore, waitedNow int64) int64 {
	if waitedBefore < 0 || waitedNow < waitedBefore {
		return 0
	}
	return late - (waitedNow - waitedBefore)
}

func between(before, now moment) []Event {
	suspended := time.Duration((now.boot.Value - before.boot.Value) - (now.boot.Middle() - before.boot.Middle()))
	disruption, why := disrupted(before, now)
	events := disruption
	if now.countsSuspend && suspended >= minStall {
		events = append(events, Event{
			Time: now.at, Kind: Suspend, DurationNS: int64(suspended),
			Message: fmt.Sprintf("the machine was suspended for %s: %s", words.Duration(float64(suspended)), suspendSeenBy),
		})
	}
	// The moments before and after a suspend, in which programs are frozen, are part of it.
	if late := time.Duration(now.lateNS); late >= minStall && suspended < minStall {
		events = append(events, Event{
			Time: now.at, Kind: Stall, DurationNS: now.lateNS,
			Message: fmt.Sprintf("a sleep of %s took %s longer, and not because it waited for a CPU: %s",
				words.Duration(float64(now.sleptNS)), words.Duration(float64(late)), cmp.Or(why, "the machine "+
					"was paused or migrated, or this process was stopped or waited for memory")),
		})
	}
	if step := observe.WallStep(before.wall, now.wall); step != 0 {
		way, or := "forward", ""
		if step < 0 {
			way = "back"
		} else if !now.countsSuspend {
			or = ", or the machine was suspended"
		}
		events = append(events, Event{
			Time: now.at, Kind: WallClockStep, OffsetNS: int64(step),
			Message: fmt.Sprintf("the wall clock was set %s by %s%s", way, words.Duration(float64(step.Abs())), or),
		})
	}
	return events
}

// disrupted returns an event if the hypervisor reports that the counter of the machine was disrupted between two
// moments, and what happened.
func disrupted(before, now moment) (events []Event, what string) {
	if before.marker == "" || now.marker == "" || before.marker == now.marker && before.generation == now.generation {
		return nil, ""
	}
	what = "the virtual machine was restored or migrated"
	switch {
	case before.generation != now.generation:
		what = "the virtual machine was restored from a snapshot"
	case now.generation != "":
		what = "the virtual machine was migrated or paused, and not restored from a snapshot"
	}
	return []Event{{
		Time: now.at, Kind: VMDisruption, From: before.marker, To: now.marker,
		Message: what + ": its hypervisor changed the disruption marker; the time service has to begin anew, " +
			"and cached times are wrong",
	}}, what
}
