// Package watch is an agent: it reads the clocks of a machine again and again, and reports what changed.
//
// There are two rhythms. Every turn (30 s by default) reads the kernel's clock source, measures the cost of a read of
// the everyday clocks, proves whether it enters the kernel, and asks the kernel whether the wall clock is synchronised.
// Twice a second a beat compares the clocks of the system with each other: the wall clock with the monotonic clock for
// steps, the clock that counts suspend with the clock that does not, and the length of the sleep for stalls.
//
// A change is an [Event]. A cost is a change only if it is beyond the noise of the turns before, and not
// if the whole CPU became slower, as beside a busy program on the same core. After a change, and once an
// hour, the watcher has the machine examined, which explains the change with findings.
//
// A turn takes some milliseconds of CPU time, a beat some microseconds. docs/evidence/deploy.md has figures.
package watch

import (
	"context"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
)

// The shortest and the longest time between two turns.
const (
	MinEvery = time.Second
	MaxEvery = 24 * time.Hour
)

const (
	// beat is the time between two comparisons of the clocks.
	beat = 500 * time.Millisecond
	// examineEvery is how long findings are valid without a change.
	examineEvery = time.Hour
	// examineAgain is the shortest time between two examinations. A clock that changes all the time must not
	// cause one in each turn. Only a change of the clock source does not wait.
	examineAgain = 10 * time.Minute
)

// Settings are the settings of a watch.
type Settings struct {
	// Every is the time between two turns, from MinEvery to MaxEvery.
	Every time.Duration
	// Clocks are read in each turn.
	Clocks []clock.Clock
	// Examine measures the machine, and returns a document with findings.
	Examine func(context.Context) (*result.Document, error)
	// Report gets each event, in order.
	Report func(Event)
	// Publish gets what is known after each turn, and after each event between two turns. It may return an
	// event of its own, which is reported too.
	Publish func(*State) *Event
}

// A State is what a watch knows: the last turn, the last examination, and what it has counted since it
// began. It is never changed once it is published.
type State struct {
	// Document is the machine with the costs of the last turn and the findings of the last examination.
	Document *result.Document
	// Examined is whether there was an examination.
	Examined bool
	// QuietNS is the quiet cost of a read by the id of the clock, in ns/read.
	QuietNS map[string]float64
	// TimeSync is the state of the wall clock by the kernel; nil if unknown.
	TimeSync *result.TimeSync
	// Turns is the number of turns.
	Turns int64
	// StallSeconds and SuspendSeconds are the sums of the durations of events. Stalls include moments in which time
	// itself stood still.
	StallSeconds, SuspendSeconds float64
	// Events is the number of events by kind.
	Events map[string]int64
	// Started and LastTurn are when the watch began and the last turn ended.
	Started, LastTurn time.Time
}

// Run watches until ctx ends. Settings.Report and Settings.Publish are called on the goroutine of Run. A second
// goroutine for the beats would double their CPU time. A stall during a turn is not seen.
func Run(ctx context.Context, s Settings) {
	w := newWatcher(s)
	reader := newReader(s.Clocks)
	sleeper := new(sleeper)
	w.beat(now()) // a machine that is restored in its first turn is seen too
	for next := time.Now(); ctx.Err() == nil; {
		if now := time.Now(); !now.Before(next) {
			w.turn(ctx, reader.snapshot())
			// Turns that a suspended machine missed are skipped.
			next = now.Add(s.Every)
		}
		w.beat(sleeper.sleep(ctx, beat))
	}
}
