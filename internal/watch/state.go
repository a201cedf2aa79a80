package watch

import (
	"time"

	"github.com/timebench/timebench/internal/document/result"
)

// A State is what a watch knows: the last turn, the last examination, and what it has counted since it
// began. It is never changed once it is published.
type State struct {
	// Document is the machine with the costs of the last turn and the findings of the last examination.
	Document *result.Document
	// Examined is whether there was an examination.
	Examined bool
	// QuietNS is the quiet cost of a read by the id of the clock, in ns/read.
	QuietNS map[string]float64
	// TimeSync is the state of the wall clock by the kernel; nil if it is not known.
	TimeSync *result.TimeSync
	// Turns is the number of turns.
	Turns int64
	// StallSeconds and SuspendSeconds are the sums of the durations of events. Stalls include moments in which time itself
	// stood still.
	StallSeconds, SuspendSeconds float64
	// Events is the number of events by kind; every kind has an entry.
	Events map[string]int64
	// Started and LastTurn are when the watch began and the last turn ended.
	Started, LastTurn time.Time
}
