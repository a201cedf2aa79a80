package profile

import (
	"os"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/system/process"
)

// withChildren returns processes and their descendants, but not this process.
func withChildren(pids []int) []int {
	all := slices.Compact(slices.Sorted(slices.Values(pids)))
	for _, child := range process.Descendants(all, os.Getpid()) {
		all = append(all, child.PID)
	}
	return all
}

// anyLives returns whether one of the wanted processes lives, or was started since the last call: it may have ended, after it
// started another one whose record is still to come.
func (t *tally) anyLives() bool {
	if t.started {
		t.started = false
		return true
	}
	for pid, wanted := range t.wanted {
		switch {
		case !wanted || t.gone[pid]:
		case process.Lives(pid):
			return true
		default:
			t.gone[pid] = true // a build starts thousands
		}
	}
	return false
}

// An ending notices that all processes of a profile have ended.
type ending struct {
	tally *tally
	// turns is how many times none was alive, one after the other, and at the time of the first of these since the profile
	// began.
	turns int
	at    time.Duration
}

// endedTurns is how many times the rings are read after no process was alive. One of them may have started another before: its
// record is counted with the turn after, or with the second if it came shortly before.
const endedTurns = 2

// over reports whether all processes have ended. It is called before the rings are read, each time.
func (e *ending) over(elapsed time.Duration) bool {
	if e.tally.anyLives() {
		e.turns = 0
		return false
	}
	if e.turns++; e.turns == 1 {
		e.at = elapsed
	}
	return e.turns > endedTurns
}
